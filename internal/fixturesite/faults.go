package fixturesite

// Fault names a kind of fault that a site was given on purpose, by the id of the
// rule that speaks of it: ours, or where only a browser shows it axe-core's.
type Fault string

const (
	FaultImageAlt        Fault = "image-alt"
	FaultContrast        Fault = "color-contrast"
	FaultNoLang          Fault = "html-has-lang"
	FaultLabel           Fault = "label"
	FaultHeadingOrder    Fault = "heading-order"
	FaultFrameTitle      Fault = "frame-title"
	FaultLinkName        Fault = "link-name"
	FaultButtonName      Fault = "button-name"
	FaultDuplicateTitle  Fault = "title-duplicate"
	FaultNoDescription   Fault = "description-missing"
	FaultBrokenLink      Fault = "link-broken"
	FaultRedirectChain   Fault = "redirect-chain"
	FaultCanonicalBroken Fault = "canonical-broken"
	FaultNoViewport      Fault = "viewport-missing"
	FaultSlow            Fault = "slow-answer"
	FaultNoindex         Fault = "robots-noindex"
	FaultNoCompression   Fault = "compression-missing"
	FaultEmptyTitle      Fault = "document-title"
	FaultNoSharing       Fault = "sharing-missing"
	FaultHalfSharing     Fault = "sharing-incomplete"
	FaultSharingImage    Fault = "sharing-image-address"
	FaultNoPrivacyLink   Fault = "privacy-link-missing"
)
