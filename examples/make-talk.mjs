// Prints texts with a class as JSONL, for a text encoder: the example of docs/guides/torch.md.
const seen = {
  animals: [
    'The cat sleeps.',
    'A horse runs.',
    'My dog barks.',
    'Birds sing at dawn.',
    'The lion hunts.',
    'Cows graze.',
  ],
  weather: ['It rains a lot.', 'Snow fell.', 'A storm is coming.', 'The sun shines.', 'It is windy.', 'Fog lies here.'],
};
for (const [label, texts] of Object.entries(seen))
  for (const text of texts) console.log(JSON.stringify({ text, label }));
