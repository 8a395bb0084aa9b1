import { UnreadableFileError } from '../limits.js';

/** Files of other tools that are one object without rows, by its beginning, each with the mend. */
const PROJECTS: readonly (readonly [RegExp, string])[] = [
  [
    /^\{\s*"projectFileVersion"/,
    'the file is a project of Azure Language, whose texts are in files of their own; write a row for each of assets.documents, in Python ' +
      '{"text": open(d["location"]).read(), "label": d["class"]["category"]}, or with "entities": ' +
      '[[l["offset"], l["offset"] + l["length"], l["category"]] for e in d["entities"] for l in e["labels"]]',
  ],
  [
    /^\{(?=[^[]{0,2000}"intents"\s*:\s*\{[^[]{0,2000}"utterances"\s*:\s*\[)/,
    'the file is a data set of Snips NLU; write a row for each of the utterances of each intent, in Python {"text": "".join(c["text"] for c in u["data"]), "label": intent}',
  ],
];

const ANNOTATIONS = ['file', 'line', 'beginoffset', 'endoffset', 'type'];

/** @param head of a JSON object without a list of rows @throws UnreadableFileError */
export function refuseProject(head: Buffer): void {
  const begun = head.toString('utf8', 0, 8192);
  for (const [beginning, reason] of PROJECTS) if (beginning.test(begun)) throw new UnreadableFileError(reason);
}

/** @throws UnreadableFileError for a table of annotations without the texts that they are of */
export function refuseAnnotations(header: readonly string[]): void {
  const names = header.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (!ANNOTATIONS.every((name) => names.includes(name))) return;
  throw new UnreadableFileError(
    'the file holds the annotations of Amazon Comprehend without the documents; write a row for each line of those, in Python ' +
      '{"text": line, "entities": [[int(a["Begin Offset"]), int(a["End Offset"]), a["Type"]] for a in annotations if int(a["Line"]) == number]}',
  );
}
