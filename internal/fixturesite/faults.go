package fixturesite

// Fault names a kind of fault that a site was given on purpose. Where axe-core
// has a rule for it, the name is that rule's id.
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
	FaultNoTitle         Fault = "title-missing"
	FaultDuplicateTitle  Fault = "title-duplicate"
	FaultNoDescription   Fault = "description-missing"
	FaultBrokenLink      Fault = "link-broken"
	FaultRedirectChain   Fault = "redirect-chain"
	FaultCanonicalBroken Fault = "canonical-broken"
	FaultNoViewport      Fault = "viewport-missing"
	FaultSlow            Fault = "slow-answer"
	FaultNoindex         Fault = "noindex"
	FaultServerError     Fault = "status-error"
	FaultSharing         Fault = "sharing-incomplete"
)
