#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "class_course.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

using SharedCourses = std::shared_ptr<const std::vector<ClassCourse>>;

/// Everything that decides the courses of a timeline's classes, byte by byte.
std::string course_key(const workload::Timeline& timeline, const NodeType& type, std::span<const double> limits);

/// A cache of courses for all runs of this process, so that cases of a study share them. It keeps the latest ones, at most 8 MiB. Any
/// thread may call it.
SharedCourses shared_courses(const std::string& key, const std::function<std::vector<ClassCourse>()>& make);

}  // namespace TIDEWATT_NAMESPACE::fleet
