import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AccountBook, readSession } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { sessionView, type SessionView } from '../session-view.js';

/** The session of a token; null for one that has ended. */
export class GetSession extends Query<SessionView | null> {
  constructor(readonly token: string) {
    super();
  }
}

@QueryHandler(GetSession)
export class GetSessionHandler implements IQueryHandler<GetSession> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly accounts: AccountBook,
  ) {}

  async execute({ token }: GetSession): Promise<SessionView | null> {
    const session = await readSession(this.application.ports.coordination, this.secret, token);
    return session && sessionView(this.application, this.accounts, session);
  }
}
