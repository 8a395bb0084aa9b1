import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  AccountBook,
  loadUser,
  openSession,
  ownerOf,
  redeemSignInToken,
  type RedeemedLink,
  type SessionOwner,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { Changes, isAdmitted, Public } from '../../edge/auth/index.js';
import type { FastifyReply } from '../../edge/http.js';
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
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly settings: Settings,
    private readonly accounts: AccountBook,
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
    const { coordination } = this.application.ports;
    const link = typeof token === 'string' ? await redeemSignInToken(coordination, this.secret, token) : null;
    const user = link && (await this.admitted(link));
    if (!link || !user) {
      await sendMessage(reply, 401, LINK_IS_OVER);
      return;
    }
    const opened = await openSession(coordination, this.secret, user, link.generation);
    const cookie = sessionCookie(opened.token, opened.session.expiresAt, this.settings.publicUrl);
    await reply.header('set-cookie', cookie).header('cache-control', 'no-store').redirect(CONSOLE, 303);
  }

  /** null if the user has left the team since the link was created, or the team is blocked. */
  private async admitted({ userId, madeAt }: RedeemedLink): Promise<SessionOwner | null> {
    const user = await loadUser(this.application, userId);
    if (!user) return null;
    const account = await this.accounts.findFor(user.teamId, userId);
    return account && isAdmitted(account, userId, madeAt) ? ownerOf(account, user) : null;
  }
}
