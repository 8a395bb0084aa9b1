import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import type { Json, JsonObject } from '#domain/json.js';
import { AUDIT_REPORT } from '#apps/operator/audit-report.js';
import { OperationError } from '#apps/operator/operation.js';
import { REPORT_KINDS } from '#use-cases/reports/report.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const view: View = {
  columns: ['file', 'statements', 'not recorded'],
  row: ({ file, statements, notRecorded }) => [cell(file), cell(statements), cell(notRecorded)],
  empty: 'There is nothing to report: the workspace has no model.',
};

/** `anneal audit report` */
export const auditReportCommand: CommandModule = {
  command: 'report',
  describe:
    'Write reports for auditors from the log, each statement with its events: model cards, logs of calls, access review, incidents',
  builder: (yargs) =>
    yargs.options({
      output: { type: 'string', demandOption: true, describe: 'A new folder: each report as Markdown and as JSON' },
      workspace: {
        type: 'string',
        describe: "Id of the workspace, or the e-mail address of its owner; default: the first team's first",
      },
      kind: { choices: [...REPORT_KINDS, 'all'], default: 'all', describe: 'Write only these reports' },
      model: { type: 'string', describe: 'Write only the card of this model: a name, or name@version' },
      since: { type: 'string', describe: 'Count acts and incidents from this time on (ISO 8601)' },
      until: { type: 'string', describe: 'Count acts and incidents until this time (ISO 8601)' },
      position: {
        type: 'string',
        describe: 'Make the reports as of this position of the log, as an earlier report names it',
      },
    }),
  handler: (args) => {
    const asked = (name: string): JsonObject => (args[name] === undefined ? {} : { [name]: args[name] as string });
    const names = ['workspace', 'kind', 'model', 'since', 'until', 'position'];
    const order = Object.assign({}, ...names.map((name) => asked(name))) as JsonObject;
    const folder = args['output'] as string;
    if (existsSync(folder)) throw new OperationError(`${folder} exists already; name a folder that does not`);
    return show(written(ask(AUDIT_REPORT, order), folder), view, args['json'] === true);
  },
};

interface Statements {
  readonly sections: readonly { readonly statements: readonly { readonly source: string }[] }[];
}

async function* written(reports: AsyncIterable<Json>, folder: string): AsyncGenerator<Json> {
  for await (const frame of reports) {
    const { name, markdown, report } = frame as unknown as { name: string; markdown: string; report: Statements };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
    await writeFile(join(folder, `${name}.md`), markdown);
    const statements = report.sections.flatMap((section) => section.statements);
    const notRecorded = statements.filter(({ source }) => source === 'not_recorded').length;
    yield { file: join(folder, `${name}.md`), statements: statements.length, notRecorded };
  }
}
