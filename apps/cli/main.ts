import { inspect } from 'node:util';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { releaseLine } from '#apps/composition/release.js';
import { startProblem } from '#apps/composition/run-process.js';
import { printableLines } from '#domain/printable.js';
import { OperationError } from '#apps/operator/operation.js';
import { auditCommands } from './commands/audit.js';
import { backupCommands, restoreCommand } from './commands/backup.js';
import { contentKeyCommands } from './commands/content-keys.js';
import { billingCommands, creditCommands } from './commands/credits.js';
import { datasetCommands } from './commands/datasets.js';
import { engineCommands } from './commands/engine.js';
import { eventCommands } from './commands/events.js';
import { importCommand } from './commands/import.js';
import { explainCommand } from './commands/explain.js';
import { keyCommands } from './commands/key.js';
import { migrateCommand } from './commands/migrate.js';
import { modelCommands } from './commands/models.js';
import { coordinationCommands } from './commands/coordination.js';
import { objectCommands } from './commands/objects.js';
import { projectionCommands } from './commands/projections.js';
import { providerCommands } from './commands/providers.js';
import { proposalCommands } from './commands/proposals.js';
import { rebillCommand } from './commands/rebill.js';
import { reviewCommand } from './commands/review.js';
import { secretCommands } from './commands/secret.js';
import { passwordCommands, signInLinkCommand } from './commands/sign-in-link.js';
import { startCommand } from './commands/start.js';
import { teamCommands } from './commands/team.js';

/** `npx anneal`: the operator's command. Asks the running system; without one, opens the data folder or connects to the servers. */
const cli = yargs(hideBin(process.argv))
  .scriptName('anneal')
  .usage(
    '$0 <command>\n\nManages an Anneal system: the one in the folder ANNEAL_DATA_DIR (default: .anneal), or\nthe one on the servers that ANNEAL_EVENT_STORE and the other address settings name.',
  )
  .option('json', { type: 'boolean', default: false, global: true, describe: 'Print each result as one line of JSON' })
  .command(startCommand)
  .command(signInLinkCommand)
  .command(passwordCommands)
  .command(keyCommands)
  .command(eventCommands)
  .command(auditCommands)
  .command(backupCommands)
  .command(restoreCommand)
  .command(migrateCommand)
  .command(explainCommand)
  .command(projectionCommands)
  .command(datasetCommands)
  .command(modelCommands)
  .command(engineCommands)
  .command(providerCommands)
  .command(proposalCommands)
  .command(teamCommands)
  .command(creditCommands)
  .command(billingCommands)
  .command(rebillCommand)
  .command(importCommand)
  .command(reviewCommand)
  .command(secretCommands)
  .command(contentKeyCommands)
  .command(coordinationCommands)
  .command(objectCommands)
  .example([
    ['npx $0 sign-in-link', 'Sign in to the console'],
    ['npx $0 key create laptop', 'Make an API key'],
    ['npx $0 events tail --follow', 'Watch events as they happen'],
    ['npx $0 key --help', 'Describe the commands about keys'],
  ])
  .version(releaseLine())
  .demandCommand(1, 'Name a command.')
  .strict()
  .wrap(100)
  .fail((message, error, self) => {
    if (!error) {
      self.showHelp();
      console.error(`\n${printableLines(message)}`);
    } else {
      const known = error instanceof OperationError ? error.message : startProblem(error);
      console.error(printableLines(known ?? inspect(error)));
    }
    process.exit(1);
  });

await cli.parseAsync();
