import { theme as antd, type ThemeConfig } from 'antd';
import { useSyncExternalStore } from 'react';
import { keepChoice } from './ui/browser/kept-choice.ts';

export type Scheme = 'light' | 'dark';

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
    success: '#147a3a',
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

/** The scheme that the user has chosen. */
export const schemeChoice = keepChoice('platform.theme', ['system', 'light', 'dark']);
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
const listeners = new Set<() => void>();

function currentScheme(): Scheme {
  const choice = schemeChoice.read();
  if (choice !== 'system') return choice;
  return systemDark.matches ? 'dark' : 'light';
}

/** Applies the current palette to the document. Called before the first render and on every change. */
export function applyTheme(): void {
  const scheme = currentScheme();
  const root = document.documentElement;
  root.dataset.theme = scheme;
  root.style.colorScheme = scheme;
  for (const [name, color] of Object.entries(palettes[scheme])) root.style.setProperty(`--${name}`, color);
  for (const listener of listeners) listener();
}

systemDark.addEventListener('change', applyTheme);
schemeChoice.subscribe(applyTheme);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useScheme = (): Scheme => useSyncExternalStore(subscribe, currentScheme);

export function createThemeConfig(scheme: Scheme): ThemeConfig {
  const colors = palettes[scheme];
  return {
    algorithm: scheme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    token: {
      colorPrimary: colors.primary,
      colorPrimaryHover: colors.primaryHover,
      colorInfo: colors.primary,
      colorLink: colors.link,
      colorLinkHover: colors.link,
      colorError: colors.danger,
      colorErrorText: colors.danger,
      // A lighter red is hard to read on the background.
      colorErrorHover: colors.danger,
      colorErrorBorderHover: colors.danger,
      colorSuccess: colors.success,
      colorSuccessBg: colors.successBg,
      colorSuccessBorder: colors.successBorder,
      colorInfoBg: colors.infoBg,
      colorInfoBorder: colors.infoBorder,
      colorWarning: colors.warning,
      colorWarningBg: colors.warningBg,
      colorWarningBorder: colors.warningBorder,
      colorBgBase: colors.bg,
      colorBgContainer: colors.bg,
      colorBgElevated: scheme === 'dark' ? colors.hover : colors.bg,
      colorBorder: colors.border,
      colorBorderSecondary: colors.border,
      colorTextBase: colors.text,
      colorText: colors.text,
      colorTextSecondary: colors.muted,
      colorTextTertiary: colors.muted,
      colorTextDescription: colors.muted,
      colorTextPlaceholder: colors.muted,
      colorIcon: colors.muted,
      fontFamily: 'var(--font)',
      fontFamilyCode: 'var(--mono)',
      fontSize: 14,
      borderRadius: 7,
      controlHeight: 34,
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.18s',
      motion: !reducedMotion.matches,
      controlItemBgActive: colors.active,
      controlItemBgActiveHover: colors.active,
    },
    components: {
      Button: {
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        dangerColor: colors.onDanger,
      },
      Dropdown: { colorPrimary: colors.text },
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 6px' },
      Modal: { titleFontSize: 16 },
      Segmented: { trackBg: colors.hover, itemSelectedBg: scheme === 'dark' ? colors.border : colors.bg },
      Tabs: {
        titleFontSize: 14,
        horizontalMargin: '0',
        itemSelectedColor: colors.link,
        itemHoverColor: colors.link,
        itemActiveColor: colors.link,
      },
    },
  };
}
