import { CommandError, printedBy } from './command.js';
import { readSettings, SettingsError } from './index.js';

const node = (script: string, ...args: readonly string[]) => JSON.stringify([process.execPath, '-e', script, ...args]);
const SECRET = 's'.repeat(40);

describe('a setting by a command', () => {
  it('is what the command prints, with words between blanks or as a list', () => {
    expect(printedBy(`${process.execPath} -p 6*7`, {})).toBe('42');
    expect(printedBy(node('console.log(process.argv[1])', 'a word; $HOME'), {})).toBe('a word; $HOME');
    expect(printedBy(node('console.log(process.env.TOKEN)'), { TOKEN: 'of the KMS' })).toBe('of the KMS');
  });

  it.each([
    ['that is not there', '/no/such/program', /cannot be run \(ENOENT\)/],
    [
      'that fails',
      node('console.error("access\\n denied"); console.log("hunter2"); process.exit(3)'),
      /^ended with 3: access denied$/,
    ],
    ['that prints nothing', node(''), /printed nothing/],
    ['that is a list of something else', '["program", 1]', /list of words/],
    ['that is half a list', '["program"', /list of words/],
  ])('stops with one line for a command %s', (_, command, message) => {
    expect(() => printedBy(command, {})).toThrow(message);
    expect(() => printedBy(command, {})).toThrow(CommandError);
    expect(() => printedBy(command, {})).not.toThrow(/hunter2/);
  });

  it('does not wait for a command for ever', () => {
    expect(() => printedBy(node('setInterval(() => {}, 1e6)'), {}, 200)).toThrow(/has not ended within 0.2 s/);
  });

  it('may be any that may be in a file, and only one of the three', () => {
    const command = node(`console.log('${SECRET}')`);
    expect(readSettings({ ANNEAL_SECRET_KEY_COMMAND: command }).secretKey).toBe(SECRET);
    const twice = { ANNEAL_SECRET_KEY_COMMAND: command, ANNEAL_SECRET_KEY: SECRET };
    expect(() => readSettings(twice)).toThrow(/^ANNEAL_SECRET_KEY_COMMAND is set, and so is ANNEAL_SECRET_KEY;/);
    const thrice = { ANNEAL_SECRET_KEY_COMMAND: command, ANNEAL_SECRET_KEY_FILE: '/run/secrets/key' };
    expect(() => readSettings(thrice)).toThrow(/^ANNEAL_SECRET_KEY_COMMAND is set, and so is ANNEAL_SECRET_KEY_FILE;/);
    expect(() => readSettings({ ANNEAL_HUB_TOKEN_COMMAND: '/no/such/program' })).toThrow(SettingsError);
    expect(() => readSettings({ ANNEAL_HUB_TOKEN_COMMAND: '/no/such/program' })).toThrow(
      /^ANNEAL_HUB_TOKEN_COMMAND cannot/,
    );
    expect(() => readSettings({ ANNEAL_SECRET_KEY_COMMAND: node('console.log("hunter2")') })).toThrow(
      /^ANNEAL_SECRET_KEY (?!.*hunter2)/,
    );
  });
});
