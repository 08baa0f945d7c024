/// The clients that come over sockets, as commands see them.
package protocol ClientList: AnyObject {
    /// In the order in which they came.
    var everybody: [Client] { get }
    /// What all of them together make the daemon hold, in bytes.
    var bytes: Int { get }
    /// The fields of INFO's section `Clients`, but for the strangers' guesses.
    var report: [(String, String)] { get }
}
