#pragma once
#include <cstdint>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/workload/failures.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Racks of a job: those that its ranks use and those that are ready for them. A rack here is one scale-up domain.
struct DomainState {
  struct Domain {
    Tick back = 0;                   ///< until then it is down as a whole
    std::vector<Tick> nodes_back{};  ///< nodes under repair; unsorted
    bool operator==(const Domain&) const = default;
    template <class A>
    void archive(A& a) {
      a(back, nodes_back);
    }
  };
  std::vector<Domain> domain;           ///< in use, then spare
  std::vector<std::uint64_t> in_place;  ///< [place of the job] index into `domain`
  bool operator==(const DomainState&) const = default;
  template <class A>
  void archive(A& a) {
    a(domain, in_place);
  }
};

/// Nodes are exchanged within their domain only: a tray's links end at the switch trays of its rack. A domain without enough nodes,
/// or without a switch tray, leaves as a whole; a spare one takes its place and it becomes a spare once it is repaired.
class DomainSpares {
 public:
  /// @param spare_domains at the start; negative: as many as wanted
  DomainSpares(const DomainLayout& layout, std::int64_t spare_domains)
      : layout_(layout), spare_domains_(spare_domains) {}
  bool any() const { return layout_.n_domain > 0; }
  /// All domains whole.
  DomainState begin() const;
  /// What a failure takes: a node of the domain that has this node's place, or that domain. @param back `never`: not repaired
  /// @returns nodes of the job that leave
  std::int64_t lose(DomainState& state, FailedUnit unit, std::int64_t node, Tick back) const;
  /// Gives every place whose domain does not serve the first spare one that does.
  /// @returns places that are left without one
  std::int64_t refill(DomainState& state, Tick now) const;
  /// Next time at which a node or a domain is back; the largest tick: never.
  Tick next_back(const DomainState& state, Tick now) const;

 private:
  bool serves(const DomainState::Domain& domain, Tick now) const;
  DomainLayout layout_;
  std::int64_t spare_domains_;
};

}  // namespace TIDEWATT_NAMESPACE::workload
