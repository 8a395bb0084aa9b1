/**
 * Every category of stream there is. A stream's name is `<category>-<id>`; its category is the part before the first
 * `-`, so no category contains one.
 *
 * `kept` streams hold ids, numbers and keyed hashes and are never deleted. Text by or about people lives in `deletable`
 * streams, or in `metered` encrypted under a key of its own, which is destroyed to erase it; erasing the content of one call is itself a kept event (`erasure`).
 */
export const STREAM_CATEGORIES = {
  team: { retention: 'deletable', bound: 1000, holds: 'a team and its name', writers: ['api', 'operator'] },
  user: {
    retention: 'deletable',
    bound: 1000,
    holds: 'a user, by uuid5 of the e-mail address',
    writers: ['api', 'operator'],
  },
  key: { retention: 'deletable', bound: 1000, holds: 'an API key, by its keyed hash', writers: ['api', 'operator'] },
  session: {
    retention: 'deletable',
    bound: 1000,
    holds:
      'a session of a person: who signed in, how and from where, and its end; a sign-in that was refused; where a key is used from',
    writers: ['api', 'operator'],
  },
  project: { retention: 'deletable', bound: 100, holds: 'a project', writers: ['api'] },
  dataset: {
    retention: 'deletable',
    bound: '1,000 versions, 20,000 events',
    holds: 'all versions of a dataset, by workspace and uuid5 of its name',
    writers: ['api', 'worker'],
  },
  job: {
    retention: 'deletable',
    bound: 1000,
    holds: 'a training job: request, attempts, epochs, checkpoints, end',
    writers: ['api', 'worker'],
  },
  joblog: {
    retention: 'deletable',
    bound: 1000,
    holds: "a training job's log lines, in blocks of at most 64 KiB",
    writers: ['worker'],
  },
  model: {
    retention: 'deletable',
    bound: '1,000 versions, 5,000 events',
    holds: 'a name of a workspace: its versions, labels, and what it stands for, by workspace and name',
    writers: ['api', 'worker'],
  },
  evaluation: { retention: 'deletable', bound: 100, holds: 'an evaluation', writers: ['api', 'worker'] },
  export: {
    retention: 'deletable',
    bound: 1000,
    holds: 'the exports of a trained model in one format',
    writers: ['api', 'worker'],
  },
  batch: {
    retention: 'deletable',
    bound: 10,
    holds: 'a batch of calls: what is asked for, and its end',
    writers: ['api', 'worker'],
  },
  improvement: {
    retention: 'deletable',
    bound: '5,000 events',
    holds: 'the improvements of one named model',
    writers: ['api', 'worker'],
  },
  distillation: {
    retention: 'deletable',
    bound: '5,000 events',
    holds:
      "the distillations of one name: what of a hosted model's calls is learned, the bound that was shown, and what became of it",
    writers: ['api', 'worker'],
  },
  proposal: {
    retention: 'deletable',
    bound: 10,
    holds: 'an act that needs two people: who proposed it and why, who confirmed or declined it',
    writers: ['api', 'worker'],
  },
  webhook: {
    retention: 'deletable',
    bound: 1000,
    holds: 'an endpoint that is told of events: its address and what it is told of',
    writers: ['api', 'worker'],
  },
  delivery: {
    retention: 'deletable',
    bound: 200,
    holds: 'a message to an endpoint: its ids and states, attempts, end',
    writers: ['api', 'worker'],
  },
  generation: {
    retention: 'deletable',
    bound: 100,
    holds: 'a generation job: what is asked for, attempts, end',
    writers: ['api', 'worker'],
  },
  metered: {
    retention: 'kept',
    bound: 'a day of one writer',
    holds: 'calls: ids, tokens, price, hashes; on SQLite also encrypted content',
    writers: ['api', 'worker'],
  },
  content: {
    retention: 'deletable',
    bound: 'a day of one writer in one workspace',
    holds: 'calls: input and output not in `metered`',
    writers: ['api'],
  },
  feedback: {
    retention: 'deletable',
    bound: 200,
    holds: 'verdicts and corrections on one inference',
    writers: ['api', 'worker'],
  },
  imported: {
    retention: 'deletable',
    bound: 1,
    holds: 'a call that another system made: its facts, input and output',
    writers: ['api'],
  },
  review: {
    retention: 'deletable',
    bound: 100,
    holds: 'to whom the review of one inference was assigned, and who skipped it',
    writers: ['api'],
  },
  billing: {
    retention: 'kept',
    bound: 1000,
    holds: 'whether credits are enforced here: one stream',
    writers: ['operator'],
  },
  ledger: {
    retention: 'kept',
    bound: 'a month of one team',
    holds: 'top-ups, corrections and limits of credits',
    writers: ['operator', 'worker'],
  },
  log: {
    retention: 'kept',
    bound: 1000,
    holds:
      "the log's own first event, which gives it its id, the key store, the coordination and the secret that it goes on with, what was accepted at its end, and what was archived of it",
    writers: ['operator'],
  },
  audit: {
    retention: 'kept',
    bound: 1000,
    holds: 'the keys that sign checkpoints of the log, and restarts of its tree: one stream',
    writers: ['worker', 'operator'],
  },
  settings: {
    retention: 'kept',
    bound: 1000,
    holds:
      'what differs in the settings of a role of processes, or in the files of models, prices and providers, since it was last recorded',
    writers: ['api', 'worker'],
  },
  access: {
    retention: 'deletable',
    bound: 'a day of one writer in one workspace',
    holds: 'who read which contents: actors, names of resources, counts',
    writers: ['api'],
  },
  retention: {
    retention: 'deletable',
    bound: '500 holds at a time',
    holds: 'how long contents of a workspace are kept, and its legal holds with their reasons',
    writers: ['api'],
  },
  expiry: {
    retention: 'kept',
    bound: 'a day of one workspace',
    holds: 'how many contents were erased because their time was over',
    writers: ['worker'],
  },
  incident: {
    retention: 'deletable',
    bound: '1,000 incidents, of each 200 updates',
    holds: 'incidents of a workspace: what happened, what was found, how it ended',
    writers: ['api'],
  },
  erasure: { retention: 'kept', bound: 10, holds: 'that the content of a call was erased', writers: ['api', 'worker'] },
} as const;

export type StreamCategory = keyof typeof STREAM_CATEGORIES;

export const streamName = (category: StreamCategory, id: string): string => `${category}-${id}`;

/** The part of the name before the first `-`; the whole name if there is none. */
export function categoryOf(stream: string): string {
  const end = stream.indexOf('-');
  return end < 0 ? stream : stream.slice(0, end);
}
