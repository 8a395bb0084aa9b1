import type { CommandModule } from 'yargs';
import { compose } from '#apps/composition/compose.js';
import { agreedSettings, YES } from '../agreement.js';

interface Replaced {
  /** The command's name: `objects`. */
  readonly name: string;
  /** What the group of commands does, and what `replace` does. */
  readonly describe: readonly [group: string, replace: string];
  readonly example: string;
  /** What ends with it, before the operator agrees. */
  readonly warning: string;
  readonly options: Parameters<typeof compose>[1];
  /** What is to be done after it. */
  readonly next?: string;
}

/** `anneal <name> replace`: goes on without something that is lost, once the operator agrees. */
export const replaceCommand = ({ name, describe, example, warning, options, next }: Replaced): CommandModule => ({
  command: `${name} <command>`,
  describe: describe[0],
  builder: (yargs) =>
    yargs
      .command({
        command: 'replace',
        describe: describe[1],
        builder: (own) => own.option('yes', YES),
        handler: async (args) => {
          const settings = await agreedSettings(args['yes'] as boolean, () => warning);
          await (await compose(settings, options)).close();
          console.log(next ?? 'Done. Start the system.');
        },
      })
      .example(`npx $0 ${name} replace`, example)
      .demandCommand(1),
  handler: () => {},
});
