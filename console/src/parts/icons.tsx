/** Icons drawn on a grid of 24. They are decorative: buttons have their own labels. */
export const draw = (path: string) =>
  function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d={path} />
      </svg>
    )
  }

export const GripIcon = draw('M9 5v.01M15 5v.01M9 12v.01M15 12v.01M9 19v.01M15 19v.01')
export const CheckIcon = draw('M5 12l5 5L20 7')
export const CloseIcon = draw('M6 6l12 12M18 6L6 18')
export const CopyIcon = draw('M9 9h10v11H9zM5 15V4h10')
export const HomeIcon = draw('M4 11l8-7 8 7v9h-5v-6H9v6H4z')
export const ExportIcon = draw('M12 15V4m0 0L8 8m4-4l4 4M4 15v5h16v-5')
export const EventIcon = draw('M4 19V9m5 10V5m5 14v-7m5 7V8')
export const PersonIcon = draw(
  'M3 5h18v14H3zm6 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm-3.5 4c0-1.7 1.5-2.5 3.5-2.5s3.5.8 3.5 2.5M15 10h3m-3 4h3',
)
export const QueryIcon = draw('M4 6l5 5-5 5m8 1h8')
export const PluginIcon = draw('M9 3v5m6-5v5M6 8h12v4a6 6 0 0 1-12 0zm6 10v3')
export const MembersIcon = draw(
  'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6 9c0-3.5 2.7-5.5 6-5.5s6 2 6 5.5m1-9.2a3.5 3.5 0 0 0 0-6.6M21 20c0-2.8-1.5-4.6-4-5.3',
)
export const InviteIcon = draw('M3 6h18v12H3zm0 1l9 6 9-6')
export const DomainIcon = draw(
  'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 2.6 3 15.4 0 18M12 3c-3 2.6-3 15.4 0 18',
)
export const ProjectIcon = draw('M4 5h6l2 3h8v11H4z')
export const AlertIcon = draw('M6 17V11a6 6 0 0 1 12 0v6l2 2H4zm4 4h4')
export const ActivityIcon = draw('M12 7v5l3 3m6-3a9 9 0 1 1-3-6.7M21 3v4h-4')
export const SettingsIcon = draw(
  'M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-7 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
)
export const AccountIcon = draw('M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7.5 8.5c0-4 3.4-6 7.5-6s7.5 2 7.5 6')
export const KeyIcon = draw('M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm4-4h9v3m-4-3v3')
export const LockIcon = draw('M5 11h14v9H5zm3 0V8a4 4 0 0 1 8 0v3m-4 3v3')
export const ShieldIcon = draw('M12 3l8 3v5c0 5-3.4 8.5-8 10-4.6-1.5-8-5-8-10V6z')
export const StatusIcon = draw('M3 12h4l3-8 4 16 3-8h4')
export const SearchIcon = draw('M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm5-1.5L21 21')
export const SunIcon = draw(
  'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
)
export const MoonIcon = draw('M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z')
export const ChevronDownIcon = draw('M6 9l6 6 6-6')
export const ChevronRightIcon = draw('M9 6l6 6-6 6')
export const PlusIcon = draw('M12 5v14M5 12h14')
export const MoreIcon = draw('M5 12h.01M12 12h.01M19 12h.01')
export const DownloadIcon = draw('M12 4v11m0 0l-4-4m4 4l4-4M4 20h16')
export const PauseIcon = draw('M8 5v14M16 5v14')
export const PlayIcon = draw('M7 5l12 7-12 7z')
export const RetryIcon = draw('M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7')
export const TrashIcon = draw('M4 7h16M9 7V4h6v3m-8 0l1 13h8l1-13')
export const EditIcon = draw('M4 20h4L19 9l-4-4L4 16zM13 7l4 4')
export const WarningIcon = draw('M12 4l9 16H3zm0 6v4m0 3v.01')
export const InfoIcon = draw('M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-10v6m0-9v.01')
export const BookIcon = draw('M5 4h10a4 4 0 0 1 4 4v12H9a4 4 0 0 1-4-4zm0 12a4 4 0 0 1 4-4h10')
export const ExcludeIcon = draw('M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM6.5 6.5l11 11')
export const FilterIcon = draw('M4 5h16l-6 7v6l-4 2v-8z')
