public final class Outgoing {
    public var errands: [Errand]
    public var emissions: [Emission]
    public var logs: [String]
    public init(errands: [Errand] = [], emissions: [Emission] = [], logs: [String] = []) {
        self.errands = errands
        self.emissions = emissions
        self.logs = logs
    }
}
public enum Errand: Sendable, Equatable {
    case send(event: String, data: JSON?, to: String)
    case begin(child: String, flow: String, context: JSON)
    case drop(child: String)
}
public struct Emission: Sendable {
    public let event: String
    public let data: JSON?
    public init(event: String, data: JSON?) {
        self.event = event
        self.data = data
    }
}
