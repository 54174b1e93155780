"""Files as spreadsheets of the world write them are read as they are meant."""

import pytest

import suffice as sf
from suffice.errors import UnreadableFile


def values(optimizer):
    return [trial.value for trial in optimizer.trials]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_separators_line_ends_and_encodings_do_not_matter(opt, table, between, encoding, end):
    cell = f"{opt.trials[1].point['T °C']:.15g}"
    rows = [
        ("number", "T °C", "value", "comment"),
        ("1", cell, " 2.5 ", "läuft"),
        ("", "", "", ""),
        ("3", "", "0.25", ""),
    ]
    path = table(*(between.join(row) for row in rows), "", encoding=encoding, end=end)
    summary = sf.exchange.read(path, opt)
    assert values(opt) == [None, 2.5, None, 0.25, None]
    assert str(summary) == "recorded 2, already known 0, still pending 0; ignored columns: comment"


def test_a_table_for_decimal_commas_is_filled_in_with_decimal_commas(opt, tmp_path):
    path = tmp_path / "batch.csv"
    sf.exchange.write(opt, path, pending=True, decimal=",")
    header, *rows = path.read_text("utf-8-sig").splitlines()
    place = header.split(";").index("value")
    cells = [row.split(";") for row in rows]
    assert not any("." in cell for row in cells for cell in row[2:7])
    cells[2][place] = "-0,125"
    path.write_text("\n".join([header, *(";".join(row) for row in cells)]), "cp1252")
    assert sf.exchange.read(path, opt).recorded == 1
    assert values(opt) == [None, None, -0.125, None, None]


def test_a_line_that_names_the_separator_is_passed_over(opt, table):
    assert sf.exchange.read(table("sep=;", "number;value", "0;1,5"), opt).recorded == 1
    with pytest.raises(UnreadableFile, match="line 3: value is 'x'"):
        sf.exchange.read(table("sep=;", "number;value", "1;x"), opt)


def test_names_of_columns_may_have_spaces_and_other_cases(opt, table):
    assert (
        sf.exchange.read(table(" Number , VALUE ,Depth ", f"0,1.5,{opt.trials[0].point['depth']}"), opt).recorded == 1
    )


def test_trailing_cells_may_be_missing_or_empty(opt, table):
    assert sf.exchange.read(table("number,value,reason,cause", "0,1.5", "1,2.5,,,,,"), opt).recorded == 2


def test_a_number_with_quotes_or_over_several_lines_keeps_the_count_of_lines(opt, table):
    path = table("number,value,reason", '0,failed,"two', 'lines, and a comma"', '1,"x",')
    with pytest.raises(UnreadableFile, match="line 4: value is 'x'"):
        sf.exchange.read(path, opt)


def test_a_workbook_and_a_database_are_refused_with_what_to_do(opt, tmp_path):
    book = tmp_path / "results.csv"
    book.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(UnreadableFile, match=r"results\.csv: it is a spreadsheet workbook: save it as CSV"):
        sf.exchange.read(book, opt)
    book.write_bytes(b"SQLite format 3\x00")
    with pytest.raises(UnreadableFile, match="it is a database, perhaps a study"):
        sf.exchange.read(book, opt)
    with pytest.raises(FileNotFoundError):
        sf.exchange.read(tmp_path / "none.csv", opt)


def test_what_a_file_says_does_not_steer_the_terminal(opt, table):
    told = str(sf.exchange.read(table("number,value,\x1b[2Jdate", "0,1.5,x"), opt))
    assert "\x1b" not in told
    for lines in (("\x1b[2Jnumber,valeu", "1,1"), ("number,value", "1,\x1b[2J"), ("number,kind,value", "1,\x1b[2J,1")):
        with pytest.raises(UnreadableFile) as refused:
            sf.exchange.read(table(*lines), opt)
        assert "\x1b" not in str(refused.value)
