import type { FastifyInstance } from 'fastify';
import type { Settings } from '#settings/index.js';

/** The address by which clients reach the API, without a trailing slash: the operator's, else the listening one. */
export const publicAddressOf = ({ publicUrl }: Pick<Settings, 'publicUrl'>, api: FastifyInstance): string =>
  publicUrl ?? (api.server.listening ? api.listeningOrigin : '');
