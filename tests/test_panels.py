"""The parts of a column say the numbers of the cutting and the ranking, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragchunk import STRATEGIES, Document, panels
from ragchunk.comparison import Cutting, Ranking, ask, cut
from ragchunk.corpus import Corpus
from ragchunk.evaluation.questions import Answer
from ragchunk.panels import KEY, Scene
from ragchunk.strategies import Strategy
from tests.encoders import HashedWords
from tests.pages import Element, read

DOCKER = "Docker packs the app. Nginx sits in front. Env vars hold the secrets."
IN_CHARACTERS = Scene("characters", "plain", 5)
IN_WORDS = Scene("words", "plain", 5)


def cutting(strategy: Strategy, *texts: str, **named: str) -> Cutting:
    pairs = [(f"{number}.txt", text) for number, text in enumerate(texts)] + list(named.items())
    return cut(Corpus(tuple(Document(*pair) for pair in pairs)), strategy)


def window(size: int, overlap: int = 0, **more) -> Strategy:
    return STRATEGIES["window"](size=size, overlap=overlap, **more)


def animals() -> Cutting:
    """Three documents in six chunks of two words or one."""
    texts = ("cat dog sun sky", "cat tree tree", "cat dog cat")
    return cutting(window(2, unit="words"), *texts)


def asked(made: Cutting, query: str, k: int = 5, way: str = "plain") -> Ranking:
    return ask(query, made, HashedWords(), k, way)


def rows(head: Element) -> list[tuple[str, str, str]]:
    return [
        (each.one("dt").text, each.one("dd.value").text, each.one("dd.under").text)
        for each in head.one("dl.figures").all("div")
    ]


def lines(page: Element) -> list[str]:
    return [each.text for each in page.one("div.small").all("p")]


# The head


def test_docker_with_overlap_in_four_figures() -> None:
    head = read(panels.head(cutting(window(30, 10), DOCKER), None, IN_CHARACTERS))
    assert head.one("p.what").text == "A cut every 20 characters."
    assert rows(head) == [
        ("Chunks", "3", "29 to 30"),
        ("Median size", "30", "characters"),
        ("Repeated", "22.5\u202f%", "of stored text"),
        ("Sentences cut", "3", "3 rescued, 0 lost"),
    ]


def test_docker_without_overlap_in_four_figures() -> None:
    head = read(panels.head(cutting(window(30), DOCKER), None, IN_CHARACTERS))
    assert rows(head) == [
        ("Chunks", "3", "9 to 30"),
        ("Median size", "30", "characters"),
        ("Repeated", "0.0\u202f%", "of stored text"),
        ("Sentences cut", "2", "0 rescued, 2 lost"),
    ]


def test_sizes_are_in_the_unit_of_the_screen_not_of_the_strategy() -> None:
    head = read(panels.head(cutting(window(30), DOCKER), None, IN_WORDS))
    # Docker packs the app. Nginx si | ts in front. Env vars hold the | secrets.
    assert rows(head)[:2] == [("Chunks", "3", "1 to 7"), ("Median size", "6", "words")]


def test_a_whole_document_has_nothing_to_rescue() -> None:
    head = read(panels.head(cutting(STRATEGIES["whole"](), DOCKER), None, IN_CHARACTERS))
    assert rows(head)[0] == ("Chunks", "1", "69 to 69")
    assert rows(head)[3] == ("Sentences cut", "0", "nothing to rescue")


def test_a_thousand_has_a_comma() -> None:
    head = read(panels.head(cutting(window(1), "x" * 1200), None, IN_CHARACTERS))
    assert rows(head)[0] == ("Chunks", "1,200", "1 to 1")


def test_nothing_loaded_is_all_zeros() -> None:
    head = read(panels.head(cutting(window(30)), None, IN_CHARACTERS))
    assert rows(head)[0] == ("Chunks", "0", "0 to 0")


ANSWER = Answer("0.txt", 0, 21, "Docker packs the app.")


def test_the_verdict_has_its_row_while_the_model_is_read() -> None:
    for scene in (IN_CHARACTERS, Scene("characters", "plain", 5, [ANSWER])):
        head = read(panels.head(cutting(window(30), DOCKER), None, scene))
        assert head.one("p.verdict").text == ""


def test_a_question_without_a_known_answer_has_no_verdict_row() -> None:
    made = cutting(window(30), DOCKER)
    assert read(panels.head(made, asked(made, "docker"), IN_CHARACTERS)).all("p.verdict") == []


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        (window(30), "The answer is whole in one chunk, rank 1."),
        (window(15), "The answer is split: ranks 1 and 2 hold a part each."),
    ],
)
def test_a_known_answer_has_its_verdict(strategy: Strategy, sentence: str) -> None:
    made = cutting(strategy, DOCKER)
    scene = Scene("characters", "plain", 2, [ANSWER])
    head = read(panels.head(made, asked(made, "docker packs app.", k=2), scene))
    assert head.one("p.verdict").text == sentence


def test_an_answer_behind_the_limit_is_whole_for_the_averaged_way() -> None:
    text = "cat " * 300 + "zebra"
    made = cutting(STRATEGIES["whole"](), text)
    answer = Answer("0.txt", 1200, 1205, "zebra")
    said = [
        read(panels.head(made, asked(made, "zebra", way=way), Scene("tokens", way, 5, [answer])))
        for way in ("plain", "averaged")
    ]
    assert [head.one("p.verdict").text for head in said] == [
        "The answer is in rank 1, behind the part the model reads.",
        "The answer is whole in one chunk, rank 1.",
    ]


def test_the_prompt_counts_tokens_and_copies() -> None:
    made = cutting(window(3, 2, unit="words"), "cat dog sun sky")
    head = read(panels.head(made, asked(made, "dog sun", k=2), IN_WORDS))
    # 0 to 11 and 4 to 15: fifteen characters of twenty-two are no copies.
    top, prompt = head.one("p.prompt").all("span")
    assert top.text == "Top 2 of 2 · 68\u202f% unique text"
    assert prompt.text == "Prompt 6 against 4 tokens"


def test_before_a_question_is_answered_the_prompt_keeps_its_row_empty() -> None:
    made = cutting(window(30), DOCKER)
    for ranking in (None, asked(made, "?!")):
        head = read(panels.head(made, ranking, IN_CHARACTERS))
        assert head.one("p.prompt").text.strip() == ""


# Hits


def test_hits_are_cards_in_order_with_their_real_scores() -> None:
    made = animals()
    page = read(panels.hits(made, asked(made, "cat", k=4), IN_WORDS))
    cards = [
        (each.one("b.rank").text, each.one("span.id").text, each.one("b.score").text)
        for each in page.all("article.card")
    ]
    assert cards == [
        ("1", "2.txt#1", "1.000"),
        ("2", "0.txt#0", ".707"),
        ("3", "1.txt#0", ".707"),
        ("4", "2.txt#0", ".707"),
    ]
    texts = [each.one("div.chunk").document_text for each in page.all("article.card")]
    assert texts == ["cat", "cat dog", "cat tree", "cat dog"]


def test_the_noise_floor_is_the_last_line() -> None:
    made = animals()
    page = read(panels.hits(made, asked(made, "cat"), IN_WORDS))
    floor = page.one("p.noise")
    assert [each.text for each in floor.inside if isinstance(each, Element)] == [
        "noise floor",
        "the median of 6 chunks",
        ".707",
    ]
    assert page.one("div.rc").inside[-1] is floor
    ticks = [each.attributes["style"] for each in page.all("i.floor")]
    assert ticks == ["--at:70.7%"] * 5


def test_a_best_hit_no_better_than_the_rest_is_called_weak() -> None:
    eight = cutting(window(1, unit="words"), "cat " * 8)
    page = read(panels.hits(eight, asked(eight, "cat"), IN_WORDS))
    assert page.one("p.note").text == (
        "Note Best 1.000, noise floor 1.000: probably nothing here answers this."
    )


def test_a_good_hit_and_a_handful_of_chunks_are_not_called_weak() -> None:
    good = cutting(window(1, unit="words"), "cat " * 8 + "zebra")
    assert read(panels.hits(good, asked(good, "zebra"), IN_WORDS)).all("p.note") == []
    few = cutting(window(1, unit="words"), "cat " * 7)
    assert read(panels.hits(few, asked(few, "cat"), IN_WORDS)).all("p.note") == []


def test_the_first_hit_is_open_and_the_others_are_folded() -> None:
    made = cutting(window(400), "cat " * 100 + "dog " * 100)
    page = read(panels.hits(made, asked(made, "cat"), IN_WORDS))
    assert [len(each.all("details.fold")) for each in page.all("article")] == [0, 1]


def test_nothing_loaded_says_so() -> None:
    made = cutting(window(30))
    page = read(panels.hits(made, asked(made, "cat"), IN_WORDS))
    assert page.text == "There is no chunk to find."


@pytest.mark.parametrize("query", ["", "?!", " "])
def test_a_question_without_words_is_asked_for(query: str) -> None:
    made = animals()
    page = read(panels.hits(made, asked(made, query), IN_WORDS))
    assert page.text == "Type a question to see what comes back."


def test_the_known_answer_is_bold_in_its_document_only() -> None:
    made = cutting(STRATEGIES["whole"](), "cat dog sun", "cat dog sun")
    scene = Scene("words", "plain", 5, [Answer("1.txt", 4, 7, "dog")])
    page = read(panels.hits(made, asked(made, "dog"), scene))
    bold = {
        each.one("span.id").text: [strong.text for strong in each.all("strong")]
        for each in page.all("article")
    }
    assert bold == {"0.txt#0": [], "1.txt#0": ["dog"]}


def test_hostile_names_and_texts_stay_text_all_the_way() -> None:
    name = '<img src=x onerror=alert(1)>".md'
    text = "<script>alert('$5')</script> & # x *y*"
    made = cutting(window(12, 4), **{name: text})
    ranking = asked(made, "alert script")
    for html in (
        panels.hits(made, ranking, IN_WORDS),
        panels.chunk_list(made, made.chunks, IN_WORDS, ranking),
        panels.head(made, ranking, IN_WORDS),
        panels.more_figures(made),
    ):
        tags = {each.tag for each in read(html).elements()}
        assert not tags & {"script", "img", "a", "style", "em", "h1"}
    page = read(panels.chunk_list(made, made.chunks, IN_WORDS, ranking))
    assert page.all("span.id")[0].text == f"{name}#0"


# A document's chunks


def test_the_chunks_of_a_document_stand_in_order_and_hold_all_of_it() -> None:
    made = cutting(window(30, 10), DOCKER)
    page = read(panels.chunk_list(made, made.chunks, IN_CHARACTERS, None))
    texts = [each.document_text for each in page.all("div.chunk")]
    assert texts == [DOCKER[0:30], DOCKER[20:50], DOCKER[40:69]]
    assert [each.text for each in page.all("p.small")] == [
        "30 characters · 10 characters shared with #1",
        "30 characters · 10 characters shared with #0 · 10 with #2",
        "29 characters · 10 characters shared with #1",
    ]
    assert page.all("b.score") == []


def test_lost_sentences_are_waved_and_rescued_ones_are_not() -> None:
    without = cutting(window(30), DOCKER)
    page = read(panels.chunk_list(without, without.chunks, IN_CHARACTERS, None))
    waved = "".join(each.text for each in page.all("span.lost"))
    assert waved == "Nginx sits in front.Env vars hold the secrets."
    rescued = cutting(window(30, 10), DOCKER)
    page = read(panels.chunk_list(rescued, rescued.chunks, IN_CHARACTERS, None))
    assert page.all("span.lost") == []


def test_among_all_chunks_only_hits_have_a_rank_and_all_have_a_score() -> None:
    made = animals()
    page = read(panels.chunk_list(made, made.chunks, IN_WORDS, asked(made, "sun sky", k=1)))
    assert [each.text for each in page.all("b.rank")] == ["1"]
    assert [each.text for each in page.all("b.score")] == [
        ".000",
        "1.000",
        ".000",
        ".000",
        ".000",
        ".000",
    ]


def test_a_document_without_chunks_says_so() -> None:
    made = cutting(window(30), "")
    page = read(panels.chunk_list(made, [], IN_WORDS, None))
    assert page.text == "This document has no chunk."


@pytest.mark.parametrize(
    ("strategy", "text", "notes"),
    [
        (window(10, unit="tokens"), "QUJD" * 500, ["the model reads none of it"]),
        (window(10), "\u200b\u200b", ["the model reads none of it"]),
        (window(2), "e\u0301\u0301", ["larger than the size asked"]),
        (window(3), "👨‍👩‍👧", ["larger than the size asked", "the model reads none of it"]),
        (window(8, tail="merge"), "abcdefghi", ["short tail merged"]),
    ],
)
def test_what_is_odd_about_a_chunk_is_said_at_its_foot(
    strategy: Strategy, text: str, notes: list[str]
) -> None:
    made = cutting(strategy, text)
    page = read(panels.chunk_list(made, made.chunks, IN_CHARACTERS, None))
    assert page.one("p.small").text.split(" · ")[1:] == notes


def test_an_ordinary_chunk_has_no_note() -> None:
    made = cutting(window(30), "An ordinary chunk.")
    page = read(panels.chunk_list(made, made.chunks, IN_CHARACTERS, None))
    assert page.one("p.small").text == "18 characters"


def test_the_model_reads_254_of_885_tokens() -> None:
    text = "cat " * 885
    made = cutting(STRATEGIES["whole"](), text)
    page = read(panels.chunk_list(made, made.chunks, IN_WORDS, None))
    assert page.one("p.limit").text == "the model reads 254 of 885 tokens, to here"
    assert page.one("div.blind").document_text == text[254 * 4 :]
    assert page.one("div.chunk").document_text == text


def test_with_averaged_windows_nothing_is_unread() -> None:
    made = cutting(STRATEGIES["whole"](), "cat " * 885)
    scene = Scene("words", "averaged", 5)
    page = read(panels.chunk_list(made, made.chunks, scene, None))
    assert page.all("p.limit") == page.all("div.blind") == []


def test_the_limit_is_drawn_between_two_syllables_not_inside_one() -> None:
    # Korean in single letters, as macOS writes file names: a syllable is three letters and three
    # tokens, so 254 tokens end inside the one that begins at 84 * 4.
    text = "\u1112\u1161\u11ab " * 200
    made = cutting(STRATEGIES["whole"](), text)
    page = read(panels.chunk_list(made, made.chunks, IN_WORDS, None))
    assert page.one("p.limit").text == "the model reads 254 of 600 tokens, to here"
    assert page.one("div.blind").document_text == text[336:]
    assert page.one("div.chunk").document_text == text


# More figures


def test_docker_in_every_unit() -> None:
    page = read(panels.more_figures(cutting(window(30, 10), DOCKER)))
    table = {
        each.one("th").text: [cell.text for cell in each.all("td")]
        for each in page.one("tbody").all("tr")
    }
    assert list(table) == ["characters", "words", "tokens"]
    assert table["characters"] == ["29", "30", "29.7", "30"]
    # Docker packs the app. Nginx si | . Nginx sits in front. Env var | t. Env vars hold the ...
    assert table["words"] == ["6", "6", "6.3", "7"]


def test_docker_overlap_and_sentences_in_words() -> None:
    said = lines(read(panels.more_figures(cutting(window(30, 10), DOCKER))))
    assert said[:3] == [
        "20 of 89 stored characters are a second copy.",
        "Overlap asked 10 characters, got a median of 10 characters; "
        "joins that share nothing: 0 of 2.",
        "3 sentences: 3 cut, 3 rescued, 0 lost.",
    ]
    assert len(said) == 4


def test_an_overlap_that_was_not_got_is_said() -> None:
    strategy = STRATEGIES["paragraphs"](size=100, overlap=50)
    said = lines(read(panels.more_figures(cutting(strategy, "a" * 100 + "\n\n" + "b" * 100))))
    assert said[1] == (
        "Overlap asked 50 characters, got a median of 0 characters; "
        "joins that share nothing: 1 of 1."
    )


def test_unread_tokens_are_said() -> None:
    made = cutting(STRATEGIES["whole"](), "cat " * 300, "dog")
    said = lines(read(panels.more_figures(made)))
    assert said == [
        "0 of 1,203 stored characters are a second copy.",
        "2 sentences: 0 cut, 0 rescued, 0 lost.",
        "46 of 301 tokens stand behind the 254 that the model reads of a chunk, in 1 chunk: "
        "plain vectors lose them, averaged and late do not.",
    ]


def test_a_dropped_tail_is_said() -> None:
    made = cutting(window(8, tail="drop", min_size=5), "abcdefgh i j")
    assert lines(read(panels.more_figures(made)))[-1] == (
        "2 characters dropped with short last chunks."
    )


def test_the_histogram_has_every_chunk_once() -> None:
    made = cutting(window(4, unit="tokens"), "cat " * 13)
    page = read(panels.more_figures(made))
    bars = page.one("div.histogram").all("i")
    titles = [each.attributes["title"] or "" for each in bars]
    assert sorted(title for title in titles if title != "0 chunks") == ["1 chunk", "3 chunks"]
    assert [each.attributes["style"] for each in bars].count("--at:100.0%") == 1
    assert [each.text for each in page.one("p.scale").all("span")] == [
        "0",
        "chunks by tokens",
        "4",
    ]


def test_nothing_loaded_has_no_histogram() -> None:
    page = read(panels.more_figures(cutting(window(30))))
    assert page.all("div.histogram") == []
    assert lines(page)[0] == "0 of 0 stored characters are a second copy."


def test_the_key_shows_each_sign_with_its_meaning() -> None:
    samples = read(KEY).all(".sample")
    assert [each.text for each in samples] == ["striped", "waved", "bold", "hatched"]


# How vectors were made


def vectors_line(made: Cutting, found: Ranking, scene: Scene, *more) -> str:
    return read(panels.vectors_line(made, found, scene, *more)).one("p.vectors").text


def test_the_way_and_what_came_from_the_store_are_said() -> None:
    found = asked(animals(), "cat")
    assert vectors_line(animals(), found, IN_WORDS, 4) == (
        "plain vectors of 6 chunks, 4 from the store"
    )
    assert vectors_line(animals(), found, IN_WORDS) == "plain vectors of 6 chunks"


def test_late_hits_of_small_chunks_are_called_flattered() -> None:
    late = replace(asked(animals(), "cat"), way="late")
    assert vectors_line(animals(), late, replace(IN_WORDS, way="late")) == (
        "late vectors of 6 chunks, one token pass. "
        "Late vectors flatter chunks of 64 tokens and fewer."
    )


def test_late_hits_of_larger_chunks_are_not() -> None:
    made = cutting(window(90, unit="words"), "cat " * 180)
    late = replace(asked(made, "cat"), way="late")
    assert vectors_line(made, late, replace(IN_WORDS, way="late")) == (
        "late vectors of 2 chunks, one token pass"
    )


def test_a_preview_says_what_it_is_and_what_it_waits_for() -> None:
    made = cutting(window(90, unit="words"), "cat " * 180)
    late = replace(asked(made, "cat"), way="late")
    assert vectors_line(made, late, IN_WORDS, 0, "Embedding 1 of 2 new texts") == (
        "Preview by late vectors. About a quarter of the top five will change. "
        "Embedding 1 of 2 new texts"
    )


def test_a_preview_of_small_chunks_says_that_they_are_flattered() -> None:
    late = replace(asked(animals(), "cat"), way="late")
    assert vectors_line(animals(), late, IN_WORDS) == (
        "Preview by late vectors. Late vectors flatter chunks of 64 tokens and fewer."
    )


def test_hits_that_moved_say_where_they_stood_in_the_preview() -> None:
    found = asked(animals(), "cat", k=3)
    first, _, third = found.hits
    others = [hit for hit in asked(animals(), "cat", k=6).hits if hit.rank > 3]
    preview = replace(
        found,
        way="late",
        hits=[first, replace(third, rank=2), replace(others[0], rank=3)],
    )
    drawn = read(panels.hits(animals(), found, IN_WORDS, preview=preview))
    notes = [card.all("p.small")[-1].text.rpartition(" · ")[2] for card in drawn.all("article")]
    assert notes == ["1 word", "not in the preview", "rank 2 in the preview"]
