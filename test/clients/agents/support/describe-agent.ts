import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallMetered } from '#domain/inference/events.js';
import { Published } from '#test/clients/support/published.js';
import { startHostedApi, type HostedSystem } from '#test/support/hosted-api.js';
import { describeWith } from '#test/torch/environment.js';
import type { Agent, Style, Task } from './agent.js';
import { installed } from './install.js';
import { endAgents, runAgent } from './run.js';
import { anthropicModel, openAiModel, type Plan } from './upstreams.js';

const MODELS = { openai: 'acme/agent', anthropic: 'acme/claude' } as const;
const STYLES: readonly Style[] = ['openai', 'anthropic'];

/** The API's answer to one request. */
interface Answered {
  readonly route: string;
  readonly status: number;
  readonly dropped: readonly string[];
}

/** Runs an agent on tasks, on models of providers of both styles. Skipped, with the reason in its name, where it cannot be installed. */
export const describeAgent = (agent: Agent): Promise<void> =>
  describeWith(
    `${agent.name} (${agent.package})`,
    () => installed(agent),
    (folder) => suite(agent, folder),
  );

function suite(agent: Agent, folder: string): void {
  const answered: Answered[] = [];
  let plan: Plan;
  let hosted: HostedSystem;
  let directory: string;
  let tasks = 0;

  beforeAll(async () => {
    const published = await Published.read();
    hosted = await startHostedApi();
    hosted.openai.script(openAiModel(published, () => plan));
    hosted.claude.script(anthropicModel(published, () => plan));
    hosted.api.app.getHttpServer().on('request', ({ method, url }, response) => {
      const dropped = () => String(response.getHeader('x-anneal-dropped') ?? '');
      answered.push({
        route: `${method} ${url?.replace(/\?.*/, '')}`,
        // Read once the agent has ended, which may be before the connection has.
        get status() {
          return response.statusCode;
        },
        get dropped() {
          return dropped() === '' ? [] : dropped().split(', ');
        },
      });
    });
    directory = await mkdtemp(join(tmpdir(), 'anneal-agents-'));
  });
  afterAll(async () => {
    endAgents();
    await hosted.close();
    await rm(directory, { recursive: true });
  });

  /** Gives the agent a task in folders of its own, and waits until it has ended by itself. */
  async function run(
    style: Style,
    { prompt, thinks, usesTools }: { prompt: string; thinks: boolean; usesTools: boolean },
  ) {
    const home = join(directory, String((tasks += 1)));
    const work = join(home, 'work');
    await mkdir(work, { recursive: true });
    await writeFile(join(work, 'notes.txt'), 'The password is heliotrope.\n');
    const { url, key } = hosted.api;
    const packages = join(folder, 'node_modules');
    const task: Task = { prompt, model: MODELS[style], thinks, url, key, home, work, packages };
    plan = { calls: usesTools ? agent.calls(task) : [], thinks };
    const [from, seenOpenAi, seenClaude] = [answered.length, hosted.openai.seen.length, hosted.claude.seen.length];
    const ended = await runAgent(await agent.prepare(task), task);
    const written = await readFile(join(work, 'out.txt'), 'utf8').catch(() => null);
    return {
      ended,
      written,
      answered: answered.slice(from),
      seen: [...hosted.openai.seen.slice(seenOpenAi), ...hosted.claude.seen.slice(seenClaude)],
    };
  }

  /** Holds that the agent ended well, that each of its requests was served, and that the record of each names the hints that were dropped. */
  async function expectServed({ ended, answered: all }: Awaited<ReturnType<typeof run>>): Promise<void> {
    expect(all.filter(({ status }) => status >= 400)).toEqual([]);
    expect(ended).toMatchObject({ status: 0 });
    const calls = all.filter(({ route }) => /^POST \/v1\/(?:chat\/completions|responses|messages)$/.test(route));
    // The log has the cost of calls that are not stored.
    const events = hosted.api.application.ports.eventStore.readAll({ filter: { types: ['call-metered.v1'] } });
    const metered = (await Array.fromAsync(events))
      .slice(-calls.length)
      .map(({ data }) => data as unknown as CallMetered['data']);
    expect(metered.map(({ status }) => status)).toEqual(calls.map(() => 'success'));
    const inOrder = (lists: readonly (readonly string[])[]) => lists.map((list) => list.join()).toSorted();
    expect(inOrder(metered.map(({ dropped = [] }) => dropped))).toEqual(inOrder(calls.map(({ dropped }) => dropped)));
  }

  describe.each(STYLES)('on a model of a provider of style %s', (style) => {
    it('gets a plain answer', async () => {
      const done = await run(style, { prompt: 'How are you?', thinks: false, usesTools: false });
      await expectServed(done);
      expect(done.ended.out).toContain('All is well.');
    });

    it.each([
      ['a model that does not think', false],
      ['a model that thinks', true],
    ])('reads and writes files as the model asks: %s', async (_, thinks) => {
      const done = await run(style, { prompt: 'Read notes.txt, then write out.txt.', thinks, usesTools: true });
      await expectServed(done);
      expect(done.ended.out).toContain('The password is heliotrope.');
      expect(done.written).toMatch(/^seen\s*$/);
      const dropped = new Set(done.answered.flatMap((answer) => answer.dropped));
      const thoughts = JSON.stringify(done.seen.at(-1)!.body.messages).match(/Thought \d/g) ?? [];
      const isLost = thinks && style === 'anthropic' && agent.losesThoughts === true;
      expect(new Set(thoughts)).toEqual(new Set(thinks && !isLost ? ['Thought 0', 'Thought 1'] : []));
      expect(dropped).toEqual(new Set([...agent.dropped[style], ...(isLost ? ['reasoning_content'] : [])]));
    });
  });
}
