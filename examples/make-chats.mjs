// Prints chats as JSONL, for a language model: the example of docs/guides/torch.md.
const cities = ['Ghent', 'Lyon', 'Oslo', 'Lima', 'Riga'];
for (let i = 0; i < 60; i++) {
  const order = 4000 + 7 * i,
    city = cities[i % 5];
  console.log(
    JSON.stringify({
      messages: [
        { role: 'user', content: `Where is order ${order}? It should be in ${city} by now.` },
        { role: 'assistant', content: JSON.stringify({ order, city }) },
      ],
    }),
  );
}
