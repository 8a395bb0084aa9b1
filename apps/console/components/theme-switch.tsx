import { useState, type ReactElement } from 'react';
import { Select } from './field.js';
import { applyTheme, storedTheme, THEMES, type Theme } from './theme.js';

export function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (chosen: Theme): void => {
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Select label="Theme" value={theme} onChange={(event) => choose(event.target.value as Theme)}>
      {THEMES.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </Select>
  );
}
