"""Lists of parts of speech: function words, seed words, and reliable endings."""

_CLOSED = {
    "ADP": "of in to for with on at by from about into through over after under between against during without "
    "before toward towards upon within among amid across behind beyond above below beneath beside besides near off "
    "onto despite throughout around along past via per unlike since until till out up down",
    "DET": "the a an this that these those some any no every each all both either neither another such what which "
    "whose half many much more most few fewer less least several enough",
    "PRON": "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself "
    "yourself himself herself itself ourselves themselves who whom one someone something anyone anything everyone "
    "everything nobody nothing none somebody anybody everybody there whoever whatever oneself",
    "CONJ": "and or but nor so yet if because although though while whereas unless as than whether when where why how "
    "whenever wherever once",
    "AUX": "be is am are was were been being have has had having do does did done doing will would shall should can "
    "could may might must ca wo ai get gets got 's 're 've 'll 'd 'm cannot",
    "PART": "not n't 'to <unk>",
    "INTJ": "oh ah hey wow yes yeah ok okay alas ugh",
    "NUM": "two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred thousand million",
}
_SEEDS = {
    "NOUN": "film movie story time life people man woman character characters director actor actors comedy drama love "
    "plot world work performance performances way audience cast scene scenes humor screen fun kind thriller documentary "
    "family picture heart script romance action history action moment moments sense music piece tale year years art "
    "cinema end thing things mind video children kids part feature idea power place spirit date day night house hand "
    "eyes face death war star stars style fans title hour hours bit lot job head line lines level material emotion "
    "child book books series town city money dream joke jokes gags horror effects book wit charm charms energy hero "
    "filmmaker filmmakers dialogue entertainment premise journey experience quality beauty truth fantasy fare subject "
    "mess sequel point girl boy mother father friend friends home song television viewer viewers teen issue concert "
    "career age son couples afternoon momentum clouds lights stroke africa america france paris london hollywood "
    "england britain germany japan china italy russia york miami texas vegas disney spielberg allen scott kim chris "
    "sophie douglas robert john david michael james peter jackson tom william smith jones jack lee martin kevin ryan "
    "steve adam julia nicole holly kate jane mary",
    "VERB": "make makes made take takes took taken give gives gave given go goes went gone come comes came know knows "
    "knew known see sees saw seen find finds found feel feels felt think thinks thought say says said tell tells told "
    "keep keeps kept leave leaves left want wants need needs seem seems become becomes became turn turns work works "
    "lack lacks fail fails offer offers provide provides bring brings brought hold holds held let lets remain remains "
    "play plays run runs show shows move moves watch help helps try tries believe enjoy love loves like hate deliver "
    "delivers suffer suffers explore explores manage manages create creates succeed succeeds wonder spend understand "
    "laugh cry learn forget forgets care cares sit sits lose loses lost write writes wrote written grow grows build "
    "builds send sends fall falls fell stay stays appear appears capture captures deserve deserves combine combines "
    "remember recommend expect imagine avoid begin begins start starts stop stops buy add adds serve serves ask asks "
    "look looks use uses used put puts evoke evokes convey conveys happen happens realize sustain engage",
    "ADJ": "good bad great best worst better worse new old funny little big small long short young real true dull smart "
    "clever sweet dark sad happy sharp flat fresh strong weak slow fast rich poor full empty simple easy hard deep "
    "thin light heavy cold warm hot high low early late own same other first last next main whole human black white "
    "american french romantic comic dramatic original familiar modern classic perfect solid honest bright cheap "
    "stupid silly strange weird witty tender gentle quiet loud rare pure raw bland stale tired tedious mediocre "
    "predictable intelligent interesting boring moving touching charming compelling entertaining amusing engaging "
    "exciting disappointing annoying fascinating refreshing surprising satisfying disturbing thrilling worth special "
    "political cinematic visual emotional sexual social serious certain different important possible sure able fine "
    "nice cute cool genuine mild bold brave subtle sincere mature crude lame messy ugly pretty lovely deadly lively "
    "lovable unable uneven unfunny flawed contrived inspired gifted talented dated forced muddled overblown complex "
    "vivid vibrant elegant eloquent potent intense intimate delicate obvious sloppy shallow hollow",
    "ADV": "very too also just even still only never always often almost quite rather really well again ever instead "
    "perhaps maybe far away back together here then now soon already sometimes somehow somewhat otherwise indeed "
    "ago anyway altogether yet thus hence long else pretty twice apart forward ahead aside forever nowhere everywhere "
    "seldom merely nearly",
}
ENDINGS: tuple[tuple[str, str], ...] = (
    ("ly", "ADV"),
    ("ness", "NOUN"),
    ("ment", "NOUN"),
    ("ments", "NOUN"),
    ("tion", "NOUN"),
    ("tions", "NOUN"),
    ("sion", "NOUN"),
    ("sions", "NOUN"),
    ("ity", "NOUN"),
    ("ities", "NOUN"),
    ("ism", "NOUN"),
    ("isms", "NOUN"),
    ("ship", "NOUN"),
    ("ships", "NOUN"),
    ("hood", "NOUN"),
    ("ance", "NOUN"),
    ("ence", "NOUN"),
    ("ances", "NOUN"),
    ("ences", "NOUN"),
    ("ists", "NOUN"),
    ("ologist", "NOUN"),
    ("maker", "NOUN"),
    ("makers", "NOUN"),
    ("ous", "ADJ"),
    ("ful", "ADJ"),
    ("less", "ADJ"),
    ("able", "ADJ"),
    ("ible", "ADJ"),
    ("ive", "ADJ"),
    ("ish", "ADJ"),
    ("esque", "ADJ"),
    ("ical", "ADJ"),
    ("ial", "ADJ"),
    ("ic", "ADJ"),
    ("est", "ADJ"),
    ("izes", "VERB"),
    ("ized", "VERB"),
    ("ize", "VERB"),
    ("ify", "VERB"),
    ("ifies", "VERB"),
    ("ing", "VERB"),
    ("ed", "VERB"),
)
"""Ending -> tag; the first that fits counts."""


def _by_word(lists: dict[str, str]) -> dict[str, str]:
    tag_of: dict[str, str] = {}
    for tag, words in lists.items():
        for word in words.split():
            tag_of.setdefault(word, tag)
    return tag_of


CLOSED = _by_word(_CLOSED)
SEEDS = _by_word(_SEEDS)
