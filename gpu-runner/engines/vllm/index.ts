import type { OpenDecoderServer } from '../decoder-engine.js';
import { moduleSettings } from './registration.js';
import { connectionOf, type ServerSettings } from './server-settings.js';
import { VllmServer } from './server.js';
import { SpreadServer } from './spread-server.js';
import { StartedServer } from './started-server.js';

const { servers, hasChatTemplate, toolParser, python } = moduleSettings(import.meta.url);

export const serve: OpenDecoderServer = (runner) => {
  const open = (settings: ServerSettings) => {
    const { memoryShare } = settings;
    return memoryShare === null
      ? new VllmServer({ settings, connection: connectionOf(settings), hasChatTemplate, runner })
      : new StartedServer({
          settings: { ...settings, memoryShare },
          python: python!,
          toolParser,
          hasChatTemplate,
          runner,
        });
  };
  const [only, ...others] = servers.map((settings) => ({ name: settings.name, server: open(settings) }));
  return others.length === 0 ? only!.server : new SpreadServer([only!, ...others]);
};
