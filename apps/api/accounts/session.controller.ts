import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccountBook,
  checkPassword,
  closeSession,
  loadUser,
  openSession,
  readSession,
  userIdOf,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { hashToken, SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { BodyLimit, CREDENTIALS } from '../body-limits.js';
import { credentialsOf, unauthorized } from '../auth/credentials.js';
import { Authenticator, Public, requireAdmitted, SessionOnly, SignsIn } from '../auth/index.js';
import { clientNetwork } from '../connections/client-network.js';
import type { FastifyReply, FastifyRequest } from '../http.js';
import { tooManyRequests } from '../limits/rate-limiter.js';
import { clearedCookie, sessionCookie } from './cookie.js';
import { RefusedNetworks } from './refused-networks.js';
import { Done, SessionRecord, SignedIn, SignInBody } from './dto.js';
import { KnownBody } from '../validation/index.js';

@ApiTags('Session')
@Controller('auth')
export class SessionController {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly settings: Settings,
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountBook,
    private readonly refusedNetworks: RefusedNetworks,
  ) {}

  @Post('sign-in')
  @BodyLimit(CREDENTIALS)
  @HttpCode(200)
  @Public()
  @SignsIn()
  @ApiOperation({ summary: 'Signs in with e-mail and password; sets the session cookie' })
  @ApiOkResponse({ type: SignedIn })
  async signIn(
    @KnownBody() { email, password }: SignInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    const { coordination } = this.application.ports;
    const network = clientNetwork(request.ip);
    const check = await checkPassword(coordination, this.secret, { email, password, network });
    if (check.kind === 'too-many') {
      if (check.ofNetwork) this.refusedNetworks.refuse(network, check);
      throw tooManyRequests(check.limit, check.windowMs, check.endsInMs);
    }
    const user = check.kind === 'right' ? await loadUser(this.application, userIdOf(email)) : null;
    if (!user) throw unauthorized('wrong e-mail address or password');
    const account = await this.accounts.findFor(user.teamId, user.userId);
    requireAdmitted(account, user.userId, new Date().toISOString());
    const { token, session } = await openSession(coordination, this.secret, user);
    void reply.header('set-cookie', sessionCookie(token, session.expiresAt, this.settings.publicUrl));
    return { session_token: token, expires_at: session.expiresAt };
  }

  @Post('sign-out')
  @HttpCode(200)
  @SessionOnly()
  @ApiOperation({ summary: 'Ends the session' })
  @ApiOkResponse({ type: Done })
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Done> {
    const token = tokenOf(request);
    await closeSession(this.application, this.secret, token);
    this.authenticator.dropSession(token);
    void reply.header('set-cookie', clearedCookie(this.settings.publicUrl));
    return { success: true, message: null };
  }

  @Get('session')
  @SessionOnly()
  @ApiOperation({ summary: 'Who is signed in' })
  @ApiOkResponse({ type: SessionRecord })
  async session(@Req() request: FastifyRequest): Promise<SessionRecord> {
    const session = await readSession(this.application.ports.coordination, hashToken(this.secret, tokenOf(request)));
    if (!session) throw unauthorized('not signed in, or no longer');
    const { userId, email, teamId, workspaceId, expiresAt } = session;
    return { user_id: userId, email, team_id: teamId, workspace_id: workspaceId, expires_at: expiresAt };
  }
}

function tokenOf(request: FastifyRequest): string {
  const credentials = credentialsOf(request.headers);
  if (credentials.kind !== 'session') throw unauthorized('this needs a browser session');
  return credentials.token;
}
