import { readProofs } from './proofs.js';

// `npm run proofs -- WORD`: the tests that prove what has this word in it: a route, a schema, a field, a promise.
const word = process.argv.slice(2).join(' ');
const found = readProofs()
  .map(({ file, title, of, values }) => ({ test: `${file} “${title}”`, proven: [of, ...(values ?? [])].join(' ') }))
  .filter(({ proven }) => proven.includes(word));
for (const [test, proofs] of Map.groupBy(found, (each) => each.test))
  console.log([test, ...proofs.map(({ proven }) => `    ${proven}`)].join('\n'));
if (found.length === 0) process.exitCode = 1;
