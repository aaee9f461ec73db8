# Runs its arguments in a new network namespace. It creates the namespace itself, so that it never changes the network of the
# machine it is started on.
#
# The namespace has the address of cloud metadata services, and an interface with private addresses and a default route,
# without which WebRTC would not try anything. The configured name servers are addresses of the namespace.
set -e
if [ "$1" != --in-namespace ]; then
    exec unshare --net sh "$0" --in-namespace "$@"
fi
shift
ip link set lo up
ip addr add 169.254.169.254/32 dev lo
ip link add card type veth peer name end
ip link set card up
ip link set end up
ip addr add 10.0.0.5/24 dev card
ip route add default dev card
ip -6 addr add fd00::5/64 dev card nodad
ip -6 route add default dev card
sed -n 's/^nameserver //p' /etc/resolv.conf | while read -r server; do ip addr add "$server" dev lo || true; done
exec "$@"
