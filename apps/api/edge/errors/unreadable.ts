import type { Socket } from 'node:net';
import { v7 as uuid7 } from 'uuid';

/**
 * Answers input that is not HTTP, before any route or hook: in the native shape, since the client's dialect is unknown.
 */
export function refuseUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const [status, detail] = STATUSES[error.code ?? ''] ?? ['400 Bad Request', 'this is not a valid HTTP request'];
    const body = JSON.stringify({ detail });
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${uuid7()}`,
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroy(error);
}

const STATUSES: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not come to its end in time'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the request headers are larger than 16 KiB'],
};
