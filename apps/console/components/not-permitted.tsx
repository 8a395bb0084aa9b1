import { Link } from '@tanstack/react-router';
import { Fragment, type ReactElement } from 'react';
import { useSession } from '../api/session.js';
import { useOffered } from './offered.js';
import { Page } from './page.js';
import { Empty } from './states.js';

/** In place of a page that the role has no use for: where it can go. */
export function NotPermitted(): ReactElement {
  const session = useSession().data;
  const pages = useOffered().flatMap((group) => group.pages);
  return (
    <Page title="Not for your role">
      <Empty>
        As {session?.role ?? 'nobody'} in this workspace you can use{' '}
        {pages.map(({ path, title }, index) => (
          <Fragment key={path}>
            {index > 0 && (index === pages.length - 1 ? ' and ' : ', ')}
            <Link to={path}>{title}</Link>
          </Fragment>
        ))}
        . An owner can give you another role.
      </Empty>
    </Page>
  );
}
