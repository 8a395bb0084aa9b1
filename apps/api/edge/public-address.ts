import type { Settings } from '#settings/index.js';
import type { FastifyRequest } from './http.js';

/** The address by which clients reach the API, without a trailing slash: the operator's, else the listening one. */
export const publicAddressOf = ({ publicUrl }: Pick<Settings, 'publicUrl'>, { server }: FastifyRequest): string =>
  publicUrl ?? (server.server.listening ? server.listeningOrigin : '');
