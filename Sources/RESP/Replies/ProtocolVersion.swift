/// The two ways to write a reply. A client begins with the second and may ask for the third.
public enum ProtocolVersion: Int, Sendable {
    case resp2 = 2
    case resp3 = 3
}
