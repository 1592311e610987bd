"""Which encoding a web page means by the name that it gives, as browsers understand it."""

from __future__ import annotations

import codecs

# The encodings of https://encoding.spec.whatwg.org, by their names in Python.
_NAMES = (
    "utf-8 gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949 cp866 koi8-r koi8-u mac-roman "
    "mac-cyrillic cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258"
)
_PARTS_OF_8859 = (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)
_KNOWN = {*_NAMES.split(), *(f"iso8859-{part}" for part in _PARTS_OF_8859)}
# Names that Python does not know, or takes for a smaller encoding than browsers do. A page whose
# own word could be read is not in UTF-16, whatever it says.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "x-cp1252": "cp1252",
    "x-cp1251": "cp1251",
    "x-cp1250": "cp1250",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-ukrainian": "mac-cyrillic",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "big5": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "cn-big5": "big5hkscs",
    "csgb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-euc-jp": "euc_jp",
    "euc_kr": "cp949",
    "windows-949": "cp949",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
    "unicode": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    "x-unicode20utf8": "utf-8",
}


def meant(label: str) -> str:
    """Python's name of the encoding that a page declares so; "" for what browsers ignore.

    >>> meant("GB2312"), meant("x-sjis"), meant("latin1"), meant("utf-7")
    ('gb18030', 'cp932', 'cp1252', '')
    """
    name = label.strip().lower()
    if name not in _MEANT:
        try:
            name = codecs.lookup(name).name
        except (LookupError, ValueError):
            return ""
    name = _MEANT.get(name, name)
    return name if name in _KNOWN else ""
