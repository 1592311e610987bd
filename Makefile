# The commands of README, shorter. On Windows use the plain commands.
.PHONY: run test check

run: .venv/ready
	.venv/bin/streamlit run app.py

test: .venv/ready
	.venv/bin/python -m pytest

# Everything that must pass before a change lands (Debian, as root).
check:
	.ci/run

.venv/ready: requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install -r requirements.txt
	touch $@
