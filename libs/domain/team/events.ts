export type TeamEvent =
  | {
      readonly type: 'team-created.v1';
      readonly data: { readonly teamId: string; readonly name: string; readonly createdAt: string };
    }
  | {
      readonly type: 'team-member-added.v1';
      readonly data: {
        readonly teamId: string;
        readonly userId: string;
        /** The member's own: nobody else in the team sees what is in it. */
        readonly workspaceId: string;
        readonly addedAt: string;
      };
    };
