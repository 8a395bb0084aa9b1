import { S3Client } from '@aws-sdk/client-s3';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { S3Location } from './address.js';

/** Limit until a response starts. A part of an upload is the slowest request. */
const ANSWER_MS = 30_000;
/** A server copies up to 5 GiB before it answers. */
export const COPY_MS = 600_000;
const CONNECT_MS = 5_000;
/** Limit without a byte in either direction. */
const SILENCE_MS = 60_000;
const ATTEMPTS = 3;
const MAX_SOCKETS = 50;
/** A download holds its connection until it was read to its end, which a slow reader may delay for long. */
const MAX_DOWNLOADS = 200;

export interface Clients {
  /** For quick requests: a silent connection is dropped. */
  readonly quick: S3Client;
  /** For downloads and copies, which may be silent for long; each has its own deadline. They take no connection of quick requests. */
  readonly patient: S3Client;
  /** Signs addresses that clients reach. */
  readonly presigning: S3Client;
  destroy(): void;
}

export function createClients(location: S3Location): Clients {
  const agents = (maxSockets: number) => ({
    httpAgent: new HttpAgent({ keepAlive: true, maxSockets }),
    httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets }),
  });
  const client = (endpoint: string | null, maxSockets: number, socketTimeout: number) =>
    new S3Client({
      ...(location.region !== null && { region: location.region }),
      ...(endpoint !== null && { endpoint }),
      forcePathStyle: location.pathStyle,
      maxAttempts: ATTEMPTS,
      // Many servers do not support CRC trailers. Bodies are signed with their hash, and readers check each object's
      // sha256.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        ...agents(maxSockets),
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        socketTimeout,
        // The deadlines bound the wait for a free socket; it need not be logged.
        logger: SILENT,
      },
    });
  const quick = client(location.endpoint, MAX_SOCKETS, SILENCE_MS);
  const patient = client(location.endpoint, MAX_DOWNLOADS, 0);
  const presigning =
    location.publicEndpoint === null ? quick : client(location.publicEndpoint, MAX_SOCKETS, SILENCE_MS);
  return {
    quick,
    patient,
    presigning,
    destroy() {
      for (const each of [quick, patient, presigning]) each.destroy();
    },
  };
}

const ignore = (): void => undefined;
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
