// Prints rows with structures and relations as JSONL: the example of docs/guides/encoders.md.
const who = ['Ann', 'Bob', 'Chen', 'Dora', 'Emil', 'Hana', 'Ivo'],
  what = ['teas', 'figs', 'pens', 'lamps', 'maps'];
const firm = ['Acme', 'Globex', 'Hooli', 'Stark', 'Initech', 'Umbrella'];
const item = (i) => ({ 'how many': `${2 + (i % 7)}`, what: what[i % 5], for: [who[i % 7]] });
const say = (it) => `order: ${it['how many']} ${it.what} for ${it.for[0]}`;
for (let i = 0; i < 150; i++) {
  const items = i % 9 === 8 ? [] : [item(i), item(3 * i + 1)].slice(0, 1 + (i % 2));
  console.log(
    JSON.stringify({
      text: items.map(say).join('; ') || `good morning number ${i}`,
      json_structures: items.map((it) => ({ 'line item': it })),
    }),
  );
  const [head, tail] = [who[i % 7], firm[i % 6]];
  const [text, is] = [
    [`${head} works for ${tail}.`, true],
    [`${tail} employs ${head}.`, true],
    [`${head} never heard of ${tail}.`, false],
  ][i % 3];
  console.log(
    JSON.stringify({
      text,
      entities: [
        [head, 'person'],
        [tail, 'company'],
      ],
      relations: is ? [{ 'works for': { head, tail } }] : [],
    }),
  );
}
