import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Logger } from '#primitives/logging/logger.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { sessionCookie } from '../accounts/cookie.js';
import { sendMessage } from '../accounts/message-page.js';
import { Public } from '../../edge/auth/index.js';
import { originOf } from '../../edge/connections/origin.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { LOGGER } from '../../edge/logging/nest-logger.js';
import { publicAddressOf } from '../../edge/public-address.js';
import { AnyQuery } from '../../edge/validation/index.js';
import { begunCookie, begunIn, clearedBegunCookie } from './begun-cookie.js';
import { OidcProvider } from './provider.js';
import { SignInByProvider } from '#use-cases/accounts/commands/sign-in-by-provider.js';
import { UseCases } from '#use-cases/use-cases.js';

/** Signing in with an OpenID provider: there and back, for browsers. */
@ApiExcludeController()
@Controller('auth/oidc')
export class OidcController {
  constructor(
    private readonly useCases: UseCases,
    private readonly secret: SecretKey,
    private readonly settings: Settings,
    private readonly provider: OidcProvider,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('start')
  @Public()
  @AnyQuery()
  async start(@Query('to') to: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const address = publicAddressOf(this.settings, request.server);
    const started = await this.provider.begin(`${address}/auth/oidc/callback`).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the OpenID provider does not answer');
      return null;
    });
    if (!started) {
      await sendMessage(reply, 503, 'The sign-in provider does not answer now. Try again later.');
      return;
    }
    const { url, begun } = started;
    const cookie = begunCookie(this.secret, { ...begun, to: pathOf(to) }, this.settings.publicUrl);
    await reply.header('set-cookie', cookie).redirect(url.href, 302);
  }

  @Get('callback')
  @Public()
  @AnyQuery()
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('set-cookie', clearedBegunCookie(this.settings.publicUrl));
    const begun = begunIn(this.secret, request.headers.cookie);
    if (!begun) {
      await sendMessage(reply, 401, 'This browser began no sign-in within the last ten minutes. Begin again.');
      return;
    }
    const returned = new URL(`${publicAddressOf(this.settings, request.server)}${request.url}`);
    const claims = await this.provider.finish(returned, begun).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'a sign-in with the OpenID provider failed');
      return null;
    });
    if (!claims) {
      await sendMessage(reply, 401, 'The provider did not confirm the sign-in. Begin again.');
      return;
    }
    const found = await this.useCases.execute(new SignInByProvider(claims, originOf(request, this.secret)));
    if (found.kind === 'refused') {
      await sendMessage(reply, 403, found.reason);
      return;
    }
    const cookie = sessionCookie(found.token, found.expiresAt, this.settings.publicUrl);
    await reply.header('set-cookie', cookie).redirect(begun.to, 303);
  }
}

/** A page of the console, and no address elsewhere. */
const pathOf = (to: unknown): string =>
  typeof to === 'string' && /^\/console\/[\w\-./~%]{0,500}$/.test(to) ? to : '/console/';
