import { theme as antd, type ThemeConfig } from 'antd';
import { useSyncExternalStore } from 'react';

export type Scheme = 'light' | 'dark';
export type SchemeChoice = 'system' | Scheme;

/** The palettes of the console, used by antd and by our own style sheet. */
const palettes = {
  light: {
    bg: '#ffffff',
    subtle: '#fafafa',
    hover: '#f4f4f5',
    active: '#ebebee',
    border: '#e6e6e9',
    text: '#18181b',
    muted: '#62626b',
    primary: '#4f46e5',
    primaryHover: '#4338ca',
    link: '#4338ca',
    danger: '#c81e1e',
    success: '#15803d',
    warning: '#945a05',
    warningBg: '#fff8eb',
    warningBorder: '#f0d9ae',
    successBg: '#f0faf3',
    successBorder: '#bfe3ca',
    infoBg: '#f5f5ff',
    infoBorder: '#d9d8fb',
    onDanger: '#ffffff',
  },
  dark: {
    bg: '#0e0e10',
    subtle: '#151517',
    hover: '#1d1d20',
    active: '#28282c',
    border: '#2b2b30',
    text: '#ededef',
    muted: '#a1a1ab',
    primary: '#5b55e0',
    primaryHover: '#6863ea',
    link: '#a9b1ff',
    danger: '#f87171',
    success: '#4ade80',
    warning: '#fbbf24',
    warningBg: '#261e0e',
    warningBorder: '#54431a',
    successBg: '#0f1f15',
    successBorder: '#1f4a2e',
    infoBg: '#17172b',
    infoBorder: '#34346b',
    onDanger: '#1f0505',
  },
};

const STORAGE_KEY = 'platform.theme';
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
const listeners = new Set<() => void>();

function readChoice(): SchemeChoice {
  const kept = localStorage.getItem(STORAGE_KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function currentScheme(): Scheme {
  const choice = readChoice();
  if (choice !== 'system') return choice;
  return systemDark.matches ? 'dark' : 'light';
}

/** Applies the current palette to the document. Called before the first render and on every change. */
export function applyTheme(): void {
  const scheme = currentScheme();
  const root = document.documentElement;
  root.dataset.theme = scheme;
  root.style.colorScheme = scheme;
  for (const [name, colour] of Object.entries(palettes[scheme])) root.style.setProperty(`--${name}`, colour);
  for (const listener of listeners) listener();
}

systemDark.addEventListener('change', applyTheme);
window.addEventListener('storage', (event) => {
  if (event.key === STORAGE_KEY) applyTheme();
});

export function chooseScheme(choice: SchemeChoice): void {
  if (choice === 'system') localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, choice);
  applyTheme();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useScheme = (): Scheme => useSyncExternalStore(subscribe, currentScheme);
export const useSchemeChoice = (): SchemeChoice => useSyncExternalStore(subscribe, readChoice);

export function createThemeConfig(scheme: Scheme): ThemeConfig {
  const colours = palettes[scheme];
  return {
    algorithm: scheme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    token: {
      colorPrimary: colours.primary,
      colorPrimaryHover: colours.primaryHover,
      colorInfo: colours.primary,
      colorLink: colours.link,
      colorLinkHover: colours.link,
      colorError: colours.danger,
      colorErrorText: colours.danger,
      // A lighter red is hard to read on the background.
      colorErrorHover: colours.danger,
      colorErrorBorderHover: colours.danger,
      colorSuccess: colours.success,
      colorSuccessBg: colours.successBg,
      colorSuccessBorder: colours.successBorder,
      colorInfoBg: colours.infoBg,
      colorInfoBorder: colours.infoBorder,
      colorWarning: colours.warning,
      colorWarningBg: colours.warningBg,
      colorWarningBorder: colours.warningBorder,
      colorBgBase: colours.bg,
      colorBgContainer: colours.bg,
      colorBgElevated: scheme === 'dark' ? colours.hover : colours.bg,
      colorBorder: colours.border,
      colorBorderSecondary: colours.border,
      colorTextBase: colours.text,
      colorText: colours.text,
      colorTextSecondary: colours.muted,
      colorTextTertiary: colours.muted,
      colorTextDescription: colours.muted,
      colorTextPlaceholder: colours.muted,
      colorIcon: colours.muted,
      fontFamily: 'var(--font)',
      fontFamilyCode: 'var(--mono)',
      fontSize: 14,
      borderRadius: 7,
      controlHeight: 34,
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.18s',
      motion: !reducedMotion.matches,
      controlItemBgActive: colours.active,
      controlItemBgActiveHover: colours.active,
    },
    components: {
      Button: {
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        dangerColor: colours.onDanger,
      },
      Dropdown: { colorPrimary: colours.text },
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 6px' },
      Modal: { titleFontSize: 16 },
      Segmented: { trackBg: colours.hover, itemSelectedBg: scheme === 'dark' ? colours.border : colours.bg },
      Tabs: {
        titleFontSize: 14,
        horizontalMargin: '0',
        itemSelectedColor: colours.link,
        itemHoverColor: colours.link,
        itemActiveColor: colours.link,
      },
    },
  };
}
