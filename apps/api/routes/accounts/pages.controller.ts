import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { SignInByLink } from '#use-cases/accounts/commands/sign-in-by-link.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Changes, Public } from '../../edge/auth/index.js';
import type { FastifyReply } from '../../edge/http.js';
import { originOf } from '../../edge/connections/origin.js';
import { sessionCookie } from './cookie.js';
import { sendMessage } from './message-page.js';
import { AnyQuery } from '../../edge/validation/index.js';

const CONSOLE = '/console/';
const LINK_IS_OVER =
  'This link does not work any more: a sign-in link works once, within a day. ' +
  'The command npx anneal sign-in-link makes another one. You can also sign in with your password.';

/** The ways into the console: the address alone, and the one-time link that signs in. */
@ApiExcludeController()
@Controller()
export class PagesController {
  constructor(
    private readonly useCases: UseCases,
    private readonly settings: Settings,
    private readonly secret: SecretKey,
  ) {}

  @Get()
  @Public()
  @AnyQuery()
  async root(@Res() reply: FastifyReply): Promise<void> {
    await reply.redirect(CONSOLE, 302);
  }

  /** Old bookmarks of the page of keys lead to the console's. */
  @Get('keys')
  @Public()
  @AnyQuery()
  async keys(@Res() reply: FastifyReply): Promise<void> {
    await reply.redirect(`${CONSOLE}keys`, 302);
  }

  @Get('sign-in')
  @Public()
  @Changes()
  @AnyQuery()
  async signIn(@Query('token') token: unknown, @Res() reply: FastifyReply): Promise<void> {
    // Programs that look at links before people do must not use them up.
    if (token === undefined || reply.request.method === 'HEAD') {
      await reply.redirect(CONSOLE, 302);
      return;
    }
    const origin = originOf(reply.request, this.secret);
    const begun = typeof token === 'string' ? await this.useCases.execute(new SignInByLink(token, origin)) : null;
    if (!begun) {
      await sendMessage(reply, 401, LINK_IS_OVER);
      return;
    }
    const cookie = sessionCookie(begun.token, begun.expiresAt, this.settings.publicUrl);
    await reply.header('set-cookie', cookie).header('cache-control', 'no-store').redirect(CONSOLE, 303);
  }
}
