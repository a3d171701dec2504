/** The colors of series in charts. They are the same in both themes, and neighbors differ in hue and lightness. */
export const SERIES_COLORS = [
  '--mantine-color-indigo-5',
  '--mantine-color-orange-5',
  '--mantine-color-teal-6',
  '--mantine-color-pink-5',
  '--mantine-color-yellow-5',
  '--mantine-color-cyan-6',
  '--mantine-color-grape-6',
  '--mantine-color-lime-6',
  '--mantine-color-red-7',
  '--mantine-color-blue-4',
]
export const ONLY_COLOR = '--mantine-color-indigo-5'
/** For everything that has no series of its own. */
export const REST_COLOR = '--mantine-color-gray-5'
export const NONE_COLOR = '--mantine-color-gray-6'
/** For values to compare with. */
export const BEFORE_COLOR = '--mantine-color-dimmed'
