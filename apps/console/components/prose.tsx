import { Fragment, type ReactElement } from 'react';

/** Code in backticks, and the words of links of Markdown. */
const MARKED = /`([^`]+)`|\[([^\]]+)\]\([^)\s]+\)/g;

/** A text of the API in the marks of its documentation: code is drawn as code, a link to a page of the documentation is its words. */
export const Prose = ({ text }: { readonly text: string }): ReactElement => (
  <>
    {text.split(MARKED).map((part, index) => {
      // Between two plain parts are both groups of a match, one of which is absent.
      if (part === undefined) return null;
      return index % 3 === 1 ? (
        <code key={index} className="text-[0.95em]">
          {part}
        </code>
      ) : (
        <Fragment key={index}>{part}</Fragment>
      );
    })}
  </>
);
