import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processed } from '#rows/formats/reading.fixture.js';
import { run } from '#test/servers/tools.js';
import { describeWith } from '../torch/environment.js';
import { pythonReaders } from './python-readers.js';

const PROGRAM = `
import json, os, sys
import spacy
from spacy.tokens import DocBin
from spacy.training import docs_to_json
os.chdir(sys.argv[1])
nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")
doc = nlp("Ada didn't meet Bob in New York.")
doc.ents = [doc.char_span(0, 3, "PER"), doc.char_span(23, 31, "GPE")]
doc.cats = {"good": 1.0, "bad": 0.0}
json.dump([docs_to_json([doc, nlp("Nobody.")])], open("train.json", "w"))
DocBin(docs=[doc]).to_disk("train.spacy")
docs = DocBin().from_disk("train.spacy").get_docs(nlp.vocab)
rows = [{"text": doc.text, "entities": [[e.start_char, e.end_char, e.label_] for e in doc.ents]} for doc in docs]
json.dump(rows, open("rows.json", "w"))
`;

await describeWith('training data written by spaCy', pythonReaders, (python) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-spacy-'));
    await run(python, ['-c', PROGRAM, folder]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is read from its JSON, with every entity and class at its place', async () => {
    const { rows, reason, contents } = await processed(await readFile(join(folder, 'train.json')));
    expect([reason, contents?.reading?.layout]).toEqual([null, 'spacy-paragraphs']);
    expect(rows[0]).toEqual({
      text: "Ada didn't meet Bob in New York.",
      entities: [
        { text: 'Ada', label: 'PER', start: 0 },
        { text: 'New York', label: 'GPE', start: 23 },
      ],
      label: 'good',
    });
    expect(rows).toHaveLength(1);
    expect(contents?.reading?.notes).toEqual([{ what: 'without entities or classes left out', count: 1 }]);
  });

  it('is refused as a .spacy file, with instructions to convert it, which work', async () => {
    const file = await readFile(join(folder, 'train.spacy'));
    await expect(processed(file, { fileName: 'train.spacy' })).rejects.toThrow(
      /\.spacy files.*write its documents as rows, in Python as .*e\.start_char, e\.end_char, e\.label_/,
    );
    const { rows } = await processed(await readFile(join(folder, 'rows.json')));
    expect(rows[0]!.entities).toHaveLength(2);
  });
});
