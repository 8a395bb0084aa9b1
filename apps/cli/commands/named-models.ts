import type { Argv, CommandModule } from 'yargs';
import type { Json, JsonObject } from '#domain/json.js';
import { apiAt, urlOption, type Send } from '../api.js';
import { cell, show, single, type View } from '../output.js';

/** A page of `GET /models`. */
const PAGE = 200;
const PROPOSED = 202;

const view: View = {
  columns: ['name', 'in use', 'model', 'labels', 'shadow', 'description'],
  row: ({ name, version, model_id, labels, shadow_version, description }) => [
    ...[name, version, model_id].map(cell),
    pairs(labels as JsonObject),
    ...[shadow_version, description].map(cell),
  ],
  empty: 'No named models: POST /models makes one.',
};

const versionsView: View = {
  columns: ['version', 'in use', 'model', 'labels', 'added by', 'added at'],
  row: ({ version, in_use, model_id, labels, added_by, added_at }) => [
    ...[version, in_use ? 'yes' : '-', model_id].map(cell),
    (labels as string[]).join(' ') || '-',
    ...[added_by, added_at].map(cell),
  ],
  empty: 'No versions: POST /models/NAME/versions adds one.',
};

const improvementView: View = {
  columns: ['id', 'model', 'status', 'from version', 'begun at'],
  row: ({ id, model, status, champion_version, created_at }) =>
    [id, model, status, champion_version, created_at].map(cell),
  empty: '',
};

/** What is shown in place of a result where a second person must confirm. */
const proposedView: View = {
  columns: ['proposal', 'expires at', 'not done yet'],
  row: ({ proposal_id, expires_at, message }) => [proposal_id, expires_at, message].map(cell),
  empty: '',
};

const pairs = (labels: JsonObject): string =>
  Object.entries(labels)
    .map(([label, version]) => `${label}=${cell(version)}`)
    .join(' ') || '-';

type Args = Readonly<Record<string, unknown>>;

/** Prints the answers of requests. */
async function run(args: Args, shown: View, frames: (send: Send) => AsyncIterable<Json>): Promise<void> {
  await show(frames(apiAt(args['url'] as string)), shown, args['json'] as boolean);
}

/** A command about one named model that prints the answer of one request. */
function requesting(
  command: string,
  describe: string,
  shown: View,
  options: Parameters<Argv['options']>[0],
  request: (path: string, args: Args) => Parameters<Send>,
): CommandModule {
  return {
    command,
    describe: `${describe}; needs an API key in KEY`,
    builder: (yargs) =>
      yargs.positional('name', { type: 'string', demandOption: true }).options({ url: urlOption, ...options }),
    handler: async (args) => {
      const path = `/models/${encodeURIComponent(args['name'] as string)}`;
      const { status, body } = await apiAt(args['url'] as string)(...request(path, args));
      await show(single(body), status === PROPOSED ? proposedView : shown, args['json'] as boolean);
    },
  };
}

export const listNamed = (args: Args): Promise<void> =>
  run(args, view, async function* (send) {
    for (let offset = 0; ; offset += PAGE) {
      const { body } = await send('GET', `/models?limit=${PAGE}&offset=${offset}`);
      const { models } = body as { readonly models: readonly Json[] };
      yield* models;
      if (models.length < PAGE) return;
    }
  });

const show_: CommandModule = {
  command: 'show <name>',
  describe: 'Show the versions of a named model; needs an API key in KEY',
  builder: (yargs) => yargs.positional('name', { type: 'string', demandOption: true }).options({ url: urlOption }),
  handler: (args) =>
    run(args, versionsView, async function* (send) {
      const { body } = await send('GET', `/models/${encodeURIComponent(args['name'] as string)}`);
      const model = body as { readonly version: Json; readonly versions: readonly JsonObject[] };
      if (args['json']) yield body;
      else yield* model.versions.map((each) => ({ ...each, in_use: each['version'] === model.version }));
    }),
};

const reason = { type: 'string', demandOption: true, describe: 'The reason, which the log keeps' } as const;

export const namedModelCommands: readonly CommandModule[] = [
  show_,
  requesting('promote <name> <number>', 'Put a version in use', view, { reason }, (path, args) => [
    'PUT',
    `${path}/versions/${String(args['number'])}/promote`,
    { reason: args['reason'] as string },
  ]),
  requesting(
    'rollback <name>',
    'Put an earlier version in use again',
    view,
    { reason, to: { type: 'number', describe: 'Number of the version; default: the one that was in use before' } },
    (path, args) => [
      'POST',
      `${path}/rollback`,
      { reason: args['reason'] as string, version: (args['to'] as number | undefined) ?? null },
    ],
  ),
  requesting(
    'improve <name>',
    'Train a new version on the corrections of calls, and compare it with the version in use',
    improvementView,
    { dataset: { type: 'string', describe: 'A dataset to train on in addition to the corrections' } },
    (path, args) => ['POST', `${path}/improve`, { dataset_name: (args['dataset'] as string | undefined) ?? null }],
  ),
];
