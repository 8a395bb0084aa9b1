import { describeWith } from '#test/torch/environment.js';
import { calledByJava, javaClients } from './support/java.js';
import { startWorld, type World } from './support/world.js';

const SAID = 'You said: Name a city';

await describeWith('LangChain4j', javaClients, (jars) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  it('works unchanged with models of both styles, whole, streamed, with tools, schemas, thoughts and vectors', async () => {
    const chats = ['acme/chat', 'acme/claude'].flatMap((model) =>
      ['openai', 'anthropic'].flatMap((dialect) => [
        ...[`${dialect} ${model}, whole: ${SAID}`, `${dialect} ${model}, streamed: ${SAID}`],
        ...['tools', 'tools streamed'].map((how) => `${dialect} ${model}, ${how}: find, The tools said Lyon`),
      ]),
    );
    expect(await calledByJava(jars, world.api)).toEqual([
      ...chats,
      ...['structured: a city', 'thinking: true, You said: Another'],
      ...['vectors acme/embed: 2', 'vectors anneal/embedder-base-v1: 2'],
    ]);
  });
});
