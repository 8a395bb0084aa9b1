import { useState, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Dialog } from '../../components/dialog.js';
import { Select } from '../../components/field.js';
import { json } from '../../components/json.js';

const LANGUAGES = { curl, Python: python, TypeScript: typescript };

/** The path of the answer in a route's response. */
const FOUND = {
  '/inference': { python: '["result"]', typescript: '.result' },
  '/v1/chat/completions': {
    python: '["choices"][0]["message"]["content"]',
    typescript: '.choices[0].message.content',
  },
} as const;

type Found = (typeof FOUND)[Props['path']];

const whole = (request: object): object => ({ ...request, ...('stream' in request && { stream: undefined }) });

interface Props {
  readonly path: '/inference' | '/v1/chat/completions';
  /** The body; a request for a stream is answered whole here. */
  readonly request: object;
}

/** The call as a program would make it; its key comes from the environment. */
export function CopyCall({ path, request }: Props): ReactElement {
  const [open, setOpen] = useState(false);
  const [language, setLanguage] = useState<keyof typeof LANGUAGES>('curl');
  const code = LANGUAGES[language](location.origin + path, whole(request), FOUND[path]);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Copy as code</Button>
      <Dialog title="This call as code" open={open} onClose={() => setOpen(false)}>
        <Select
          label="Language"
          value={language}
          onChange={(event) => setLanguage(event.target.value as keyof typeof LANGUAGES)}
        >
          {Object.keys(LANGUAGES).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
        <p className="text-sm text-muted">ANNEAL_API_KEY in the environment is one of your API keys.</p>
        <Copy key={code} text={code} label={`The call in ${language}`} />
      </Dialog>
    </>
  );
}

function curl(url: string, request: object): string {
  // In single quotes a shell changes nothing; a quote inside ends them, is escaped, and starts them again.
  const quoted = json(request).replaceAll("'", String.raw`'\''`);
  return `curl -sS '${url}' \\\n  -H "X-API-Key: $ANNEAL_API_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted}'`;
}

function python(url: string, request: object, found: Found): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=${JSON.stringify(JSON.stringify(request))}.encode(),
    headers={"X-API-Key": os.environ["ANNEAL_API_KEY"], "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)${found.python})`;
}

function typescript(url: string, request: object, found: Found): string {
  return `const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { 'X-API-Key': process.env.ANNEAL_API_KEY!, 'Content-Type': 'application/json' },
  body: JSON.stringify(${json(request)}),
});
if (!answer.ok) throw new Error(await answer.text());
console.log((await answer.json())${found.typescript});`;
}
