import type { CommandModule } from 'yargs';
import type { Json } from '#domain/json.js';
import { apiAt, urlOption, type Send } from '../api.js';
import { cell, show, single, type View } from '../output.js';

/** A page of `GET /proposals`. */
const PAGE = 100;
const STATUSES = ['open', 'confirmed', 'declined', 'expired', 'performed'] as const;

const view: View = {
  columns: ['id', 'status', 'what', 'reason', 'proposed by', 'decided by', 'expires at'],
  row: ({ id, status, about, reason, proposed_by, decided_by, expires_at }) =>
    [id, status, about, reason, proposed_by, decided_by, expires_at].map(cell),
  empty: 'No such proposals.',
};

const list: CommandModule = {
  command: 'list',
  describe: 'List acts that were proposed because they need two people; needs an API key in KEY',
  builder: (yargs) =>
    yargs.options({
      url: urlOption,
      status: { choices: [...STATUSES, 'all'], default: 'open', describe: 'Only proposals in this state' },
    }),
  handler: async ({ url, status, json }) => {
    const send = apiAt(url as string);
    const where = status === 'all' ? '' : `&status=${status as string}`;
    await show(pages(send, where), view, json as boolean);
  },
};

async function* pages(send: Send, where: string): AsyncGenerator<Json> {
  for (let offset = 0; ; offset += PAGE) {
    const { body } = await send('GET', `/proposals?limit=${PAGE}&offset=${offset}${where}`);
    const { proposals } = body as { readonly proposals: readonly Json[] };
    yield* proposals;
    if (proposals.length < PAGE) return;
  }
}

const confirm: CommandModule = {
  command: 'confirm <id>',
  describe: 'Confirm what another person proposed, which is then done; needs an API key in KEY',
  builder: (yargs) => yargs.positional('id', { type: 'string', demandOption: true }).options({ url: urlOption }),
  handler: async ({ id, url, json }) => {
    const { body } = await apiAt(url as string)('POST', `/proposals/${encodeURIComponent(id as string)}/confirm`);
    await show(single(body), view, json as boolean);
  },
};

const decline: CommandModule = {
  command: 'decline <id>',
  aliases: ['reject <id>'],
  describe: 'Decline a proposal, or withdraw your own; needs an API key in KEY',
  builder: (yargs) =>
    yargs
      .positional('id', { type: 'string', demandOption: true })
      .options({ url: urlOption, reason: { type: 'string', describe: 'The reason, which the log keeps' } }),
  handler: async ({ id, url, json, reason }) => {
    const send = apiAt(url as string);
    const asked = { reason: (reason as string | undefined) ?? null };
    const { body } = await send('POST', `/proposals/${encodeURIComponent(id as string)}/decline`, asked);
    await show(single(body), view, json as boolean);
  },
};

export const proposalCommands: CommandModule = {
  command: 'proposals',
  describe: 'Acts that need two people: list, confirm and decline what was proposed',
  builder: (yargs) => yargs.command(list).command(confirm).command(decline).demandCommand(1),
  handler: () => {},
};
