import type { ComponentProps, ReactElement } from 'react';
import { Select } from '../../../components/field.js';

/** What the rows of a file are. */
export const TypeSelect = (props: Omit<ComponentProps<typeof Select>, 'label'>): ReactElement => (
  <Select label="Its rows are" {...props}>
    <option value="ner">texts with entities, classes, structures or relations</option>
    <option value="classification">texts with classes</option>
    <option value="decoder">chats, or pairs of answers, for a language model</option>
    <option value="custom">free, with or without labels</option>
  </Select>
);
