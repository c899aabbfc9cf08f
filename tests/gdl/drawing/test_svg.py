from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import gdl
from gdl.analysis.boards import BoardLayout, FactPattern, Part
from gdl.drawing import SVG_STYLE, SvgOptions, draw_svg, layout_of
from gdl.drawing.glyphs import colour_of
from tests.support.compiled_games import EVERY_GAME
from tests.support.drawn_games import layout_of_game, states_of, steps_of

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = gdl.parse(
    "(role <script>alert</script>) (role \"x'&)"
    "(init (<b> 1 1 <script>)) (init (<b> 1 2 &amp)) (init (<b> 2 1 \"on=')) (init (<b> 2 2 ]]>))"
    "(init (turn <script>alert</script>)) (init (</svg> <!--))"
    "(<= (next (<b> ?x ?y ?z)) (true (<b> ?x ?y ?z)))"
)
"""Rules whose names are marks of XML."""


def picture(name: str, steps: int = 12) -> ElementTree.Element:
    *_, (before, after) = steps_of(name, steps)
    return ElementTree.fromstring(draw_svg(layout_of_game(name), after, before))


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_fact_is_in_the_picture(name: str) -> None:
    state = states_of(name)[-1]
    root = ElementTree.fromstring(draw_svg(layout_of_game(name), state))
    named = [element.get("data-fact", "") for element in root.iter()]
    for fact in map(str, state):
        assert any(fact in text for text in named), fact


@pytest.mark.parametrize("name", EVERY_GAME)
def test_cells_can_be_found_by_their_words(name: str) -> None:
    root = picture(name)
    layout = layout_of_game(name)
    cells = [element for element in root.iter() if element.get("data-cell") is not None]
    assert [(int(c.get("data-board", "")), c.get("data-cell")) for c in cells] == [
        (number, " ".join(place.key))
        for number, board in enumerate(layout.boards)
        for place in board.places
    ]
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_every_dot_can_be_clicked() -> None:
    """Also those of dots and boxes at which no side of a box begins."""
    root = picture("dotsAndBoxes")
    assert len(root.findall(f".//{SVG}circle[@class='corner']")) == 16
    cells = [element for element in root.iter() if element.get("data-cell") is not None]
    assert {"1 4", "4 1", "4 4"} <= {cell.get("data-cell") for cell in cells}
    assert all(cell.find(f"{SVG}rect") is not None for cell in cells)


def test_a_box_that_is_owned_is_filled_in_its_owners_colour() -> None:
    layout = layout_of_game("dotsAndBoxes")
    facts = list(map(gdl.parse_term, ["(owned 2 1 right)", "(drawn flat 2 1)", "(turn left)"]))
    root = ElementTree.fromstring(draw_svg(layout, facts))
    filled = root.find(f".//{SVG}g[@data-fact='(owned 2 1 right)']/{SVG}rect")
    assert filled is not None
    assert filled.get("fill") == colour_of("right", layout)
    assert "flat: b1-c1" in (root.findtext(f"{SVG}desc") or "")
    line = root.find(f".//{SVG}line[@data-fact='(drawn flat 2 1)']")
    assert line is not None
    assert (line.get("y1"), float(line.get("x2", "")) - float(line.get("x1", ""))) == (
        line.get("y2"),
        46,
    )


def test_lines_that_name_their_owner_have_its_colour() -> None:
    """Also where rules, unlike those of ours, keep who has drawn a line."""
    board = layout_of_game("dotsAndBoxes").boards[0]
    owned = tuple(
        replace(each, arity=4, content=(0, 3)) if each.name == "drawn" else each
        for each in board.patterns
    )
    layout = BoardLayout(("left", "right"), (replace(board, patterns=owned),))
    svg = draw_svg(layout, [gdl.parse_term("(drawn flat 2 1 right)")])
    assert f'class="side" stroke="{colour_of("right", layout)}"' in svg


def test_boards_that_would_be_too_wide_in_a_row_stand_below_one_another() -> None:
    root = picture("quarto")
    on, stock = (one for one in root.iter() if one.get("class") == "board")
    tops = [float(one.get("transform", "")[10:-1].split()[1]) for one in (on, stock)]
    assert tops[1] - tops[0] > 200
    assert float(root.get("width", "")) < 2 * float(root.get("height", ""))


def test_a_small_picture_has_no_legend() -> None:
    state, layout = states_of("chess")[0], layout_of_game("chess")
    whole = ElementTree.fromstring(draw_svg(layout, state))
    small = ElementTree.fromstring(draw_svg(layout, state, None, SvgOptions(with_legend=False)))
    assert float(small.get("height", "")) < float(whole.get("height", "")) - 100


@pytest.mark.parametrize("name", EVERY_GAME)
def test_everything_is_inside_the_picture(name: str) -> None:
    root = picture(name)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    for board in root.iter(f"{SVG}g"):
        if board.get("class") == "board":
            x, y = map(float, board.get("transform", "")[10:-1].split())
            assert 0 <= x < width
            assert 0 <= y < height


def test_the_rim_of_hex_has_the_colours_of_the_roles() -> None:
    layout = layout_of_game("hex")
    root = ElementTree.fromstring(draw_svg(layout, ()))
    lines = [line.get("stroke") for line in root.iter(f"{SVG}line")]
    assert {colour: lines.count(colour) for colour in lines} == {
        colour_of("red", layout): 24,
        colour_of("blue", layout): 24,
    }


def test_it_says_in_words_what_it_shows() -> None:
    root = picture("ticTacToe", 2)
    assert root.get("role") == "img"
    title, text = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert text is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {text.get('id')}"
    assert "; cross: " in (text.text or "")


def test_words_of_the_rules_are_escaped() -> None:
    machine = gdl.interpret(HOSTILE)
    text = draw_svg(layout_of(HOSTILE), machine.initial_state(), options=SvgOptions("<x>", '"'))
    root = ElementTree.fromstring(text)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "g", "rect", "text", "tspan", "circle", "path"),
        *("line", "polygon"),
    }
    assert "<script" not in text
    facts = [element.get("data-fact", "") for element in root.iter()]
    assert any("<script>" in fact for fact in facts)


def test_characters_that_xml_does_not_know_are_replaced() -> None:
    text = draw_svg(layout_of_game("nim"), [gdl.Constant("a\x01\ud800\uffff")])
    assert "a\ufffd\ufffd\ufffd" in text
    ElementTree.fromstring(text)


@pytest.mark.parametrize("count", ["1" * 5000, "²", "-1", "٣"])
def test_what_is_no_small_count_has_no_dots(count: str) -> None:
    state = [gdl.parse_term(f"(pebbles left {count})")]
    text = draw_svg(layout_of_game("nim"), state)
    assert "<circle" not in text
    ElementTree.fromstring(text)


def test_nothing_is_loaded_from_elsewhere() -> None:
    text = draw_svg(layout_of_game("chess"), states_of("chess")[0])
    assert text.count("http") == text.count('xmlns="http://www.w3.org/2000/svg"') == 1
    assert " style=" not in text
    assert "url(" not in text


def test_a_page_can_bring_the_style_itself() -> None:
    state = states_of("nim")[0]
    text = draw_svg(layout_of_game("nim"), state, options=SvgOptions("Nim", "left-", False))
    assert "<style>" not in text
    assert 'id="left-cell-0-0"' in text
    assert "prefers-color-scheme:dark" in SVG_STYLE


def test_what_a_move_did_is_marked() -> None:
    *_, (before, after) = steps_of("breakthrough", 1)
    root = ElementTree.fromstring(draw_svg(layout_of_game("breakthrough"), after, before))
    classes = [(element.get("class") or "").split() for element in root.iter()]
    assert sum("new" in names for names in classes) == 1
    assert sum("old" in names for names in classes) == 1
    assert sum("arrow" in names for names in classes) == 1
    unchanged = draw_svg(layout_of_game("breakthrough"), after, after)
    assert 'class="cell new"' not in unchanged


def test_what_has_decided_the_match_is_marked() -> None:
    *_, (_, after) = steps_of("breakthrough", 1)
    pawn = next(str(fact) for fact in after if str(fact).startswith("(pawn white"))
    options = SvgOptions(decisive=frozenset([pawn]))
    marked = draw_svg(layout_of_game("breakthrough"), after, options=options)
    assert marked.count('class="decisive"') == 1
    assert marked.count("which decides the match") == 1
    assert "decides" not in draw_svg(layout_of_game("breakthrough"), after)


def test_a_thing_that_moved_has_a_line() -> None:
    *_, (before, after) = steps_of("keyMaze", 3)
    assert 'class="arrow"' in draw_svg(layout_of_game("keyMaze"), after, before)


def test_pieces_of_the_legend_stand_on_the_colour_of_the_board() -> None:
    """On a dark page black pieces could not be seen."""
    entries = [g for g in picture("chess").iter(f"{SVG}g") if g.get("class") == "legend"]
    assert len(entries) >= 10
    for entry in entries:
        ground = entry.find(f"{SVG}g/{SVG}rect")
        assert ground is not None
        assert ground.get("class") == "sq"


@pytest.mark.parametrize("is_partial", [False, True])
def test_the_whole_state_is_called_so(is_partial: bool) -> None:
    state = states_of("phantomTicTacToe")[-1]
    options = SvgOptions(is_partial=is_partial)
    root = ElementTree.fromstring(
        draw_svg(layout_of_game("phantomTicTacToe"), state, None, options)
    )
    words = " ".join(root.itertext())
    assert ("The whole state" in words) is not is_partial


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "least"), [("on-square", 4.5), ("new", 3), ("gone", 3), ("won", 3), ("wall", 3)]
)
def test_what_is_on_squares_can_be_told_from_them(scheme: str, ink: str, least: float) -> None:
    light, _, dark = SVG_STYLE.partition("@media")
    colours = dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{6})", light))
    if scheme == "dark":
        colours |= dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{6})", dark))
    for square in ("square", "dark"):
        bright, dim = sorted((luminance(colours[square]), luminance(colours[ink])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= least, square


CARDS = """
(role dealer) (card queenOfHearts) (card king_spades) (card 10) (card 9) (card dragon)
(<= (base (hand dealer ?c)) (card ?c))
(<= (init (hand dealer ?c)) (card ?c))
(<= (legal dealer (play ?c)) (true (hand dealer ?c)))
(<= (next (hand dealer ?c)) (true (hand dealer ?c)) (not (does dealer (play ?c))))
"""


def test_cards_in_a_hand_are_drawn_with_rank_and_suit() -> None:
    rules = gdl.parse(CARDS)
    state = gdl.interpret(rules).initial_state()
    facts = sorted(state, key=str)
    root = ElementTree.fromstring(draw_svg(layout_of(rules), facts, facts[1:]))
    cards = [
        group
        for group in root.iter(f"{SVG}g")
        if group.find(f"{SVG}rect[@class='card']") is not None
    ]
    faces = [[text.text for text in card.iter(f"{SVG}text")] for card in cards]
    assert faces == [["9"], ["10"], ["dra"], ["K", "\u2660\ufe0e"], ["Q", "\u2665\ufe0e"]]
    dealt = [card.get("data-fact") for card in cards if card.get("class") == "new"]
    assert dealt == [str(facts[0])]
    assert "hand dealer 9; 10; dragon" in (root.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize(
    ("name", "hands"), [("goofspiel", {("holds", 2)}), ("kuhnPoker", {("holds", 2)})]
)
def test_hands_are_found_in_the_rules(name: str, hands: set[tuple[str, int]]) -> None:
    assert hands <= layout_of_game(name).hands


def test_kinds_of_cards_that_are_counted_are_no_hand() -> None:
    assert not layout_of_game("handDuel").hands


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def test_what_roles_have_is_a_table_where_there_is_no_board() -> None:
    assert texts(picture("handDuel", 1))[1:7] == ["holds", "paper", "rock", "scissors", "left", "1"]
    assert any(text.startswith("purse  ") for text in texts(picture("biddingTicTacToe", 1)))


@pytest.mark.parametrize(("order", "count"), [("p3 p1 p4 p2", 4), ("p3 p1 p2", 0)])
def test_a_list_of_four_things_or_more_is_a_row_of_boxes(order: str, count: int) -> None:
    rules = gdl.parse(f"(role a) (legal a go) (init (order {order})) (base (order {order}))")
    state = gdl.interpret(rules).initial_state()
    root = ElementTree.fromstring(draw_svg(layout_of(rules), state))
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("data-fact") == f"(order {order})"]
    assert [text for box in boxes for text in texts(box)] == order.split()[:count]


def test_what_marks_a_pit_stands_at_its_corner() -> None:
    """In its middle it would push the number of seeds aside."""
    pits = " ".join(
        f"(init (pit p{i} s4)) (base (pit p{i} s4)) (base (pit p{i} s5)) (base (at p{i}))"
        f"(after p{i} p{(i + 1) % 6})"
        for i in range(6)
    )
    rules = gdl.parse(
        f"""(role a) {pits} (init (at p2)) (succ s4 s5) (legal a (put p1))
        (<= (next (pit ?p ?m)) (does a (put ?p)) (true (pit ?p ?n)) (succ ?n ?m))"""
    )
    layout = layout_of(rules)
    (board,) = layout.boards
    at = FactPattern("at", 1, (0,), part=Part.MARK)
    layout = replace(layout, boards=(replace(board, patterns=(*board.patterns, at)),))
    root = ElementTree.fromstring(draw_svg(layout, gdl.interpret(rules).initial_state()))
    where = {g.get("data-fact"): g.get("transform") for g in root.iter(f"{SVG}g")}
    assert where["(pit p2 s4)"] == where["(pit p1 s4)"] == "translate(0 0)"
    assert where["(at p2)"] == "translate(-19 -19)"


def test_what_is_too_much_for_a_table_stays_in_lines() -> None:
    has = [f"(has{i} {role} {i})" for i in range(9) for role in "ab"]
    facts = " ".join(
        f"(init {fact}) (base {fact}) (<= (next {fact}) (true {fact}))" for fact in has
    )
    machine = gdl.interpret(gdl.parse(f"(role a) (role b) (legal a go) (legal b go) {facts}"))
    svg = machine.render(machine.initial_state()).svg
    assert all(f"has{i}" in svg for i in range(9))


def test_lines_of_text_are_not_wider_than_boards() -> None:
    counters = " ".join(f"(init (counter{i} 1)) (base (counter{i} 1))" for i in range(9))
    steps = " ".join(f"(<= (next (counter{i} 2)) (true (counter{i} 1)))" for i in range(9))
    machine = gdl.interpret(gdl.parse(f"(role a) (legal a go) {counters} {steps}"))
    root = ElementTree.fromstring(machine.render(machine.initial_state()).svg)
    assert len(texts(root)) > 2
    assert float(root.get("width", "")) < 400


def test_a_name_stands_where_no_link_crosses_it() -> None:
    """In town chase a street leads down from the harbour, and another one up from the market."""
    heights = {
        "".join(text.itertext()): float(text.get("y", ""))
        for text in picture("townChase", 1).iter(f"{SVG}text")
        if text.get("class") == "name"
    }
    assert heights["harbour"] < 0 < heights["market"]


def test_names_of_hexagons_are_above_all_pieces() -> None:
    drawn = draw_svg(layout_of_game("starHalma"), states_of("starHalma")[0])
    assert drawn.rindex('class="piece"', 0, drawn.index('class="legend"')) < drawn.index(
        ">6,6</text>"
    )


def test_a_place_is_called_as_its_label_says_and_with_what_is_there() -> None:
    titles = [title.text for title in picture("hex", 4).iter(f"{SVG}title")]
    assert any(re.fullmatch("[a-f][1-6]: (red|blue)", title or "") for title in titles)
    assert "a1" in titles


MANY = "".join(f"(init (seen f{i})) (base (seen f{i}))" for i in range(300))
CELLS = "".join(f"(base (at {x} {y} a)) (base (at {x} {y} b))" for x in "123" for y in "123")


def test_many_other_facts_do_not_make_the_board_small() -> None:
    rules = gdl.parse(f"(role a) (role b) {CELLS} (init (at 1 1 a)) {MANY}")
    state = gdl.interpret(rules).initial_state()
    root = ElementTree.fromstring(draw_svg(layout_of(rules), state))
    assert float(root.get("height", "")) < 450
    assert any(re.fullmatch("and [0-9]+ lines more", text) for text in texts(root))
    named = " ".join(element.get("data-fact", "") for element in root.iter())
    assert all(f"(seen f{i})" in named for i in range(300))


def test_what_stands_on_nothing_is_flat_also_with_a_mark() -> None:
    rules = gdl.parse(
        "(role a) (init (on one left)) (init (on two one)) (init (on three two))"
        "(init (clear right))"
        "(<= (next (on ?x ?y)) (does a (put ?x ?y)))"
        "(<= (legal a (put three ?y)) (true (clear ?y)))"
        "(<= (next (clear ?y)) (true (clear ?y)))"
    )
    state = gdl.interpret(rules).initial_state()
    root = ElementTree.fromstring(draw_svg(layout_of(rules), state))
    flat = {
        cell.get("data-cell")
        for cell in root.iter(f"{SVG}g")
        if (ground := cell.find(f"{SVG}rect")) is not None and ground.get("height") == "16"
    }
    assert flat == {"left", "right"}


def test_several_boards_have_their_names_where_moves_use_them() -> None:
    shown = texts(picture("twinBoards"))
    assert {"first", "second"} <= set(shown)
    assert "ne" not in texts(picture("nineBoards"))


def test_numbered_things_are_a_row_of_boxes() -> None:
    facts = [f"(peg {n} {colour})" for n, colour in enumerate(("red", "blue", "red", "pink"), 1)]
    rules = " ".join(f"(init {fact}) (base {fact})" for fact in facts)
    ruleset = gdl.parse(f"(role a) (legal a go) {rules}")
    drawn = draw_svg(BoardLayout(("a",)), gdl.interpret(ruleset).initial_state())
    root = ElementTree.fromstring(drawn)
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("data-fact") in facts]
    assert [text for box in boxes for text in texts(box)] == ["red", "blue", "red", "pink"]


def test_dice_show_their_numbers_as_pips() -> None:
    layout = BoardLayout(("ann",), dice=frozenset({("dice", 3), ("claimed", 2)}))
    facts = [gdl.parse_term(text) for text in ("(dice ann 4 3)", "(claimed 0 12)")]
    root = ElementTree.fromstring(draw_svg(layout, facts, facts[1:]))
    dice = [g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]
    shown = [(die.findtext(f"{SVG}title"), len(die.findall(f"{SVG}circle"))) for die in dice]
    assert shown == [("0", 0), ("12", 0), ("4", 4), ("3", 3)]
    assert [die.get("class") for die in dice] == ["cell", "", "cell new", "cell new"]
    assert texts(dice[1]) == ["12"]
    assert "dice ann 4 3" in (root.findtext(f"{SVG}desc") or "")


def widths_of_bars(root: ElementTree.Element) -> list[float]:
    """The widths of the bars in a picture, from the topmost to the lowest."""
    return [
        float(bar.get("width", ""))
        for group in root.iter()
        for bar in group.findall(f"{SVG}rect[@class='piece']")
    ]


def test_discs_are_as_wide_as_they_are_large() -> None:
    widths = widths_of_bars(picture("towersOfHanoi", 1))
    assert len(set(widths)) == 5
    stacks = gdl.parse(
        "(role a) (<= (smaller ?x ?y) (next_size ?x ?y)) (next_size one two) (smaller one three)"
        "(next_size two three) (init (on three post)) (init (on two three)) (init (on one two))"
        "(<= (next (on ?x ?y)) (does a (put ?x ?y))) (<= (legal a (put ?x ?y)) (smaller ?x ?y))"
    )
    state = gdl.interpret(stacks).initial_state()
    root = ElementTree.fromstring(draw_svg(layout_of(stacks), state))
    one, three, two = widths_of_bars(root)  # in the order of their names
    assert one < two < three
    tops = {
        cell.get("data-cell"): float(cell.get("transform", "")[10:-1].split()[1])
        for cell in root.iter(f"{SVG}g")
        if cell.get("data-cell")
    }
    assert tops["two"] - tops["one"] == tops["post"] - tops["three"] == 23


def test_what_is_said_of_who_holds_cards_stands_beside_them() -> None:
    facts = ["(holds first king)", "(holds second jack)", "(bet first)", "(folded second)"]
    svg = draw_svg(layout_of_game("kuhnPoker"), map(gdl.parse_term, [*facts, "(shown)"]))
    root = ElementTree.fromstring(svg)
    lines = [" ".join(text.split()) for text in texts(root)]
    assert {"holds first · bet", "holds second · folded"} <= set(lines)
    assert all(f'data-fact="{fact}"' in svg for fact in facts)


def test_static_facts_stand_beside_the_value_of_a_counter() -> None:
    facts = list(map(gdl.parse_term, ["(stage 2)", "(lead m3)"]))
    shown = texts(ElementTree.fromstring(draw_svg(layout_of_game("threeHills"), facts)))
    assert [text for text in shown[1:] if text] == ["worth", "west", "middle", "east", *"121"]
    assert "south by 3" in shown[0]
    over = draw_svg(layout_of_game("threeHills"), [gdl.parse_term("(stage over)")])
    assert "worth" not in over


def test_pieces_that_are_drawn_by_their_traits_have_their_words_under_the_pointer() -> None:
    root = picture("quarto", 1)
    titles = {title.text for title in root.iter(f"{SVG}title")}
    assert "short, light, round, hollow: stock" in titles
    assert not any("slrh" in text for text in texts(root))
