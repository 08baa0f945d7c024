// Why a payload is not as the flow declares it, as facts.

import Texts

/// Why a payload, or a value of a state, is not as the flow declares it.
public struct PayloadProblem: Hashable, Sendable {
    /// The event or the state that carries the value; nil if only the value is known.
    let carrier: String?
    /// The declared name of the value, its type, and the values that are allowed, in words; without a type, no value is declared.
    let name: String
    let shape: PayloadKind.Shape?
    let allowed: String?
    /// The member of an object that is missing, or wrong.
    private(set) var member: String?
    /// The wrong value; nil if it is missing, or not known.
    private(set) var given: String?

    /// Only this kind of value is allowed.
    init(_ kind: PayloadKind, of carrier: String?, member: String? = nil, given: String? = nil) {
        self.init(
            carrier: carrier, name: kind.name, shape: kind.shape, allowed: kind.hint?.cut(to: 512), member: member, given: given
        )
    }

    /// The event carries nothing.
    package init(nothingIn event: String) {
        self.init(carrier: event, name: "", shape: nil, allowed: nil, member: nil, given: nil)
    }

    init(carrier: String?, name: String, shape: PayloadKind.Shape?, allowed: String?, member: String?, given: String?) {
        (self.carrier, self.name, self.shape) = (carrier?.shortened, name.shortened, shape)
        (self.allowed, self.member, self.given) = (allowed, member?.shortened, given?.shortened)
    }
}
