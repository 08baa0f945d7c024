// The cluster that this daemon is a node of, as commands see it.

import RESP

package protocol ClusterMember: AnyObject {
    /// Throws where a session of this name is not to be answered for here: `MOVED`, `TRYAGAIN` or `CLUSTERDOWN`.
    func check(_ name: UnsafeRawBufferPointer) throws(CommandError)

    /// The slot of a name.
    func slot(of name: UnsafeRawBufferPointer) -> Int
}
