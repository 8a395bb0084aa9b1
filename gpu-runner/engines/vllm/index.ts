import type { OpenDecoderServer } from '../decoder-engine.js';
import { moduleSettings } from './registration.js';
import { connectionOf } from './server-settings.js';
import { VllmServer } from './server.js';

const { settings, hasChatTemplate } = moduleSettings(import.meta.url);

export const serve: OpenDecoderServer = (runner) =>
  new VllmServer({ settings, connection: connectionOf(settings), hasChatTemplate, runner });
