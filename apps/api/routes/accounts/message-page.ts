import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply } from '../../edge/http.js';

const MESSAGE_PAGE = readFileSync(new URL('./page/message.html', import.meta.url), 'utf8');
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Answers a browser that is not signed in with a page that gives the reason. */
export function sendMessage(reply: FastifyReply, status: number, text: string): Promise<void> {
  const shown = text.replaceAll(/[&<>"]/g, (each) => ENTITIES[each]!);
  return sendPage(
    reply,
    status,
    MESSAGE_PAGE.replace('{text}', () => shown),
  );
}

async function sendPage(reply: FastifyReply, status: number, page: string): Promise<void> {
  await reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policyOf(page))
    .send(page);
}

/** Allows only the page's own scripts and styles, by their hashes. */
function policyOf(page: string): string {
  const hashes = (tag: string): string =>
    [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
      .join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes('script') || "'none'"}`,
    `style-src ${hashes('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
