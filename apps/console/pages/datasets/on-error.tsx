import type { ComponentProps, ReactElement } from 'react';
import { Select } from '../../components/field.js';

/** What becomes of rows that are not valid: a choice for each way in which a file enters. */
export const OnErrorSelect = (props: Omit<ComponentProps<typeof Select>, 'label'>): ReactElement => (
  <Select label="Rows that are not valid" {...props}>
    <option value="">leave out up to 5 of 100; more fail the version</option>
    <option value="skip">leave out all of them</option>
    <option value="fail">one fails the version</option>
  </Select>
);
