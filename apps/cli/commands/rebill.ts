import type { CommandModule } from 'yargs';
import type { Json, JsonObject } from '#domain/json.js';
import { amountCell, cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const differenceView: View = {
  columns: ['team', 'what', 'by the log', 'found'],
  row: (frame) => ['team', 'what', 'byLog', 'found'].map((field) => cell(frame[field])),
  empty: 'No difference.',
};

const billView: View = {
  columns: ['team', 'calls', 'amount', 'differences'],
  row: ({ name, calls, dollars, differences }) => [cell(name), cell(calls), amountCell(dollars), cell(differences)],
  empty: 'No teams.',
};

/** `anneal rebill`: exit code 1 if anything differs */
export const rebillCommand: CommandModule = {
  command: 'rebill',
  describe:
    'Compute every bill from the log, and compare it with the read models and the stored balances; the exit status is 1 if any differs',
  builder: { team: { type: 'string', describe: 'Name or id of a team; default: all teams' } },
  handler: async (args) => {
    const team = args['team'] === undefined ? {} : { team: args['team'] as string };
    const frames = (await Array.fromAsync(ask('rebill', team))) as JsonObject[];
    const of = async function* (kind: string): AsyncIterable<Json> {
      yield* frames.filter((frame) => frame['kind'] === kind);
    };
    const asJson = args['json'] as boolean;
    await show(of('bill'), billView, asJson);
    await show(of('difference'), differenceView, asJson);
    if (frames.some((frame) => frame['kind'] === 'difference')) process.exitCode = 1;
  },
};
